import ArgumentParser

struct StoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store", abstract: "The log of a node as a whole.",
        discussion: """
            Example:
              perennial store copy --from perennial.db --config perennial.yaml
              perennial store reevaluate
            """,
        subcommands: [Copy.self, Reevaluate.self])
}
