import ArgumentParser
import StrictJSON

extension CustomerCommand {
    struct Undo: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Takes back what somebody has said of a customer.",
            discussion: """
                EVENT is of the history that `customer show` prints: a link, an unlink, a move, a grant, a grant that was taken \
                back, a registration or its release, of the last 30 days. It is as before then, if nobody has said anything of \
                the same since. Of a move all is taken back that is still where it was put; `notUndone` lists the rest.

                Example:
                  perennial customer undo u-1001 12-4711 --reason "the wrong account"
                """)

        @Argument(help: "The publisher's own id; either side's.")
        var id: String
        @Argument(help: "The event, as the history names it.")
        var event: String
        @Option(help: ArgumentHelp("Why, for the event.", valueName: "text"))
        var reason: String?
        @OptionGroup var node: NodeOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            self.output.show(
                try await self.node.client().post(
                    ["v1", "customers", self.id, "undo"],
                    body: JSONWriter.text { json in
                        json.member("event", self.event)
                        json.member("reason", ifPresent: self.reason)
                    }))
        }
    }
}
