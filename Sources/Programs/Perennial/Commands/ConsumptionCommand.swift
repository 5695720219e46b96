import ArgumentParser
import StrictJSON
import Subscriptions

struct ConsumptionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "consumption", abstract: "Answers to Apple, when a customer wants a refund.",
        discussion: """
            Example:
              perennial consumption reply 2000000000000001 --consented --delivery delivered --no-sample
            """,
        subcommands: [Reply.self])

    struct Reply: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Tells Apple how a purchase was used that the customer wants refunded.",
            discussion: """
                The answer to a CONSUMPTION_REQUEST, for which Apple gives twelve hours. Only with the customer's consent; \
                without it, do not answer.

                Example:
                  perennial consumption reply 2000000000000001 --consented --delivery delivered --no-sample --refund decline
                  perennial consumption reply 2000000000000002 --purchase --consented --delivery delivered --no-sample \
                --consumed 40
                """)

        @OptionGroup var subject: SubscriptionCommand.SubjectOptions
        @Flag(help: "The customer has agreed that Apple is told.")
        var consented = false
        @Option(
            help: "Whether it was delivered: delivered; or not, by quality-issue, wrong-item, server-outage or other.")
        var delivery: DeliveryArgument
        @Flag(inversion: .prefixedNo, help: "Whether the customer could try it before buying.")
        var sample: Bool
        @Option(help: "How much of it was used, in percent, such as 12.5; not for auto-renewable subscriptions.")
        var consumed: PercentArgument?
        @Option(help: "What you would have Apple do: decline, full or prorated.")
        var refund: RefundArgument?
        @Option(help: "The transactionId that Apple asks about; that of its newest request unless set.")
        var transaction: String?
        @OptionGroup var node: NodeOptions
        @OptionGroup var output: OutputOptions

        func validate() throws {
            guard self.consented else {
                throw ValidationError(
                    "Without the customer's consent Apple may not be told anything: --consented is missing.")
            }
            guard self.delivery == .delivered || self.consumed?.thousandths ?? 0 == 0 else {
                throw ValidationError("What was not delivered was not used: leave --consumed out.")
            }
            guard self.transaction?.isIdentifier ?? true else {
                throw ValidationError("--transaction is 1 to 128 visible ASCII characters without spaces.")
            }
        }

        func run() async throws {
            let answer = try await self.node.clientThatWaitsForApple().put(
                self.subject.path + ["consumption"], query: self.subject.query,
                body: JSONWriter.text { json in
                    json.member("customerConsented", true)
                    json.member("deliveryStatus", self.delivery.status)
                    json.member("sampleContentProvided", self.sample)
                    json.member("consumptionPercentage", ifPresent: self.consumed?.thousandths)
                    json.member("refundPreference", ifPresent: self.refund?.preference)
                    json.member("transactionId", ifPresent: self.transaction)
                })
            switch self.output.output {
            case .table: Console.print("Apple has taken it.")
            case .json: Console.print(answer.serialized)
            }
        }
    }
}
