import ArgumentParser

struct EventsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "events", abstract: "The change stream: every change once, in order.",
        discussion: """
            Example:
              perennial events tail
            """,
        subcommands: [Tail.self])

    struct Tail: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Prints what was recorded, and where to go on.",
            discussion: """
                Prints from the cursor, or from the beginning, to the end of what is there, and then the cursor on \
                standard error: give it to --after the next time. With --follow it goes on as new events arrive.

                Example:
                  perennial events tail --follow
                  perennial events tail --after CURSOR --output json
                """)

        @Option(help: "A cursor that an earlier run printed.")
        var after: String?
        @Flag(help: "Keep printing what arrives.")
        var follow = false
        @OptionGroup var node: NodeOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let client = try self.node.client()
            var printer = EventPrinter(self.output.output)
            var cursor = self.after
            while true {
                let page = try await client.get(["v1", "events"], query: [("after", cursor), ("limit", "500")])
                let events = page["events"]?.items ?? []
                printer.print(events)
                cursor = page["next"]?.plain ?? cursor
                guard events.isEmpty else { continue }
                guard self.follow else { break }
                try await Task.sleep(for: .seconds(1))
            }
            if let cursor { Console.complain("next: --after \(cursor)") }
        }
    }
}
