import ArgumentParser
import ServiceContract
import StrictJSON
import SubscriptionService

struct CheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Asks whether a customer, subscription or purchase is entitled, now.",
        discussion: """
            Exits 0 when entitled and 3 when not; 2 when the catalog has no entitlement of that name.

            Example:
              perennial check --customer u-1001 --entitlement pro
              perennial check --subscription 2000000000000001 --entitlement pro
              perennial check --purchase 2000000000000002
            """)

    @Option(help: "The publisher's own id of a person: all that leads there counts.")
    var customer: String?
    @Option(help: "The originalTransactionId of a subscription.")
    var subscription: String?
    @Option(help: "The originalTransactionId of a one-time purchase.")
    var purchase: String?
    @Option(help: "A name of the catalog: is this product one that grants it?")
    var entitlement: String?
    @Option(help: "How current the answer has to be: local, owner or durable.")
    var consistency: Consistency?
    @OptionGroup var stream: StreamOptions
    @OptionGroup var node: NodeOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard [self.customer, self.subscription, self.purchase].count(where: { $0 != nil }) == 1 else {
            throw ValidationError("Give one of --customer, --subscription and --purchase.")
        }
    }

    func run() async throws {
        let body = JSONWriter.text { json in
            json.member("checks") { json in
                json.array { json in
                    json.object { json in
                        json.member("customer", ifPresent: self.customer)
                        json.member("subscription", ifPresent: self.subscription)
                        json.member("purchase", ifPresent: self.purchase)
                        json.member("entitlement", ifPresent: self.entitlement)
                        for (name, value) in self.stream.query { json.member(name, ifPresent: value) }
                    }
                }
            }
            json.member("consistency", ifPresent: self.consistency?.rawValue)
        }
        let answer = try await self.node.client().post(["v1", "check"], body: body)
        guard let result = answer["results"]?.items.first else { throw CommandFailure("the node answered nothing") }
        if let refusal = result["error"]?["code"]?.plain { throw self.failure(refusal) }
        let entitled = result["entitled"]?.plain == "true"
        switch self.output.output {
        case .table: Console.print(Self.sentence(result, entitled: entitled))
        case .json: Console.print(Self.document(result, of: answer, entitled: entitled))
        }
        if !entitled { throw ExitCode(3) }
    }

    private func failure(_ refusal: String) -> CommandFailure {
        guard refusal == "unknownEntitlement", let entitlement else { return CommandFailure(refusal) }
        return CommandFailure(
            "\(refusal): the node's catalog (entitlements.catalog) has no \(entitlement); is it misspelt?", status: 2)
    }

    /// The result, with what the answer says of all its results.
    private static func document(_ result: JSONFragment, of answer: JSONFragment, entitled: Bool) -> String {
        JSONWriter.text { json in
            json.member("entitled", entitled)
            for name in ["state", "code", "validUntil", "productId"] { json.member(name, result[name]?.plain) }
            json.member("version", ifPresent: result["version"]?.plain.flatMap { Int64($0) })
            for name in ["entitlement", "environment"] { json.member(name, ifPresent: result[name]?.plain) }
            json.member("reason", ifPresent: result["reason"]?.plain)
            json.member("asOf", answer["asOf"]?.plain)
            json.member("stale", answer["stale"]?.plain == "true")
            json.member("token", answer["token"]?.plain)
        }
    }

    private static func sentence(_ result: JSONFragment, entitled: Bool) -> String {
        let parts = [
            entitled ? "entitled" : "not entitled", result["reason"]?.plain ?? result["state"]?.plain,
            result["productId"]?.plain, result["validUntil"]?.plain.map { "valid until \($0)" },
        ]
        return parts.compactMap(\.self).joined(separator: ", ").escapingControls
    }
}
