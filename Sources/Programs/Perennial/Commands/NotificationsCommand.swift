import ArgumentParser

struct NotificationsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "notifications", abstract: "Apple's notifications: whether they arrive, and those that did not.",
        discussion: """
            Example:
              perennial notifications test
              perennial notifications backfill --from 2026-11-01T00:00:00Z --to 2026-11-08T00:00:00Z
            """,
        subcommands: [Test.self, Backfill.self])
}
