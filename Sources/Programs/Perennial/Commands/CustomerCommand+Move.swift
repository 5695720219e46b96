import ArgumentParser
import StrictJSON

extension CustomerCommand {
    struct Move: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Makes everything that is a customer's another one's, now and in future.",
            discussion: """
                For somebody who used the app before they signed in. What is asked or said about FROM later is asked or said about TO.

                Example:
                  perennial customer move anonymous-7 u-1001
                """)

        @Argument(help: "The id that is given up.")
        var from: String
        @Argument(help: "The id that has everything from now on.")
        var to: String
        @Option(help: ArgumentHelp("Why, for the event.", valueName: "text"))
        var reason: String?
        @OptionGroup var preview: PreviewOptions
        @OptionGroup var node: NodeOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            self.output.show(
                try await self.node.client().post(
                    ["v1", "customers", self.from, "move"], query: self.preview.query,
                    body: JSONWriter.text { json in
                        json.member("to", self.to)
                        json.member("reason", ifPresent: self.reason)
                    }))
        }
    }
}
