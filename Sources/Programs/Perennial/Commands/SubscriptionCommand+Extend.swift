import ArgumentParser
import StrictJSON
import Subscriptions

extension SubscriptionCommand {
    struct Extend: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Has Apple move its next renewal, for free days.",
            discussion: """
                Cannot be undone. Apple grants it twice in 365 days at most, and neither in a free offer, in billing retry, \
                nor to family members. The change itself comes as a notification. Exit code 4 means that Apple may have \
                done it, though no answer came. Then, and when the node does not answer, see by `subscription refresh` \
                whether the renewal date has moved before you repeat it: a second extension gives the days again.

                Example:
                  perennial subscription extend 2000000000000001 --days 14 --reason service-issue
                """)

        @Argument(help: "The originalTransactionId.")
        var id: String
        @Option(help: "How many days, 1 to 90.")
        var days: Int
        @Option(help: "For Apple: customer-satisfaction, service-issue, other or undeclared.")
        var reason: ExtensionReasonArgument
        @Option(help: "Names the request at Apple, 1 to 128 characters; the node makes one unless set.")
        var requestIdentifier: String?
        @OptionGroup var stream: StreamOptions
        @OptionGroup var node: NodeOptions
        @OptionGroup var output: OutputOptions

        func validate() throws {
            guard (1...90).contains(self.days) else { throw ValidationError("--days must be 1…90.") }
            guard self.requestIdentifier?.isIdentifier ?? true else {
                throw ValidationError("--request-identifier is 1 to 128 visible ASCII characters without spaces.")
            }
        }

        func run() async throws {
            let answer = try await self.node.clientThatWaitsForApple().post(
                ["v1", "subscriptions", self.id, "extend"], query: self.stream.query,
                body: JSONWriter.text { json in
                    json.member("days", Int64(self.days))
                    json.member("reason", self.reason.member)
                    json.member("requestIdentifier", ifPresent: self.requestIdentifier)
                })
            switch self.output.output {
            case .table: answer.fieldTable.lines.forEach(Console.print)
            case .json: Console.print(answer.serialized)
            }
            if answer["success"]?.plain != "true" { throw CommandFailure("Apple has not extended it") }
        }
    }
}
