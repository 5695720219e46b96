import EventLog
import Foundation
import HTTPAPI
import InMemoryStore
import PerennialTestSupport
import Subscriptions
import Testing

/// What leads to a person, what is signed, and what gives access never reaches a log, at whatever level.
@Suite struct LogSecrecyTests {
    private static let token = "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"
    private static let account = "704700000000000011"
    private static let ids = ["2000000900000001", "2000000900000002"]
    private static let customers = ["customer-4711", "customer-4712", "anonymous-4713", "unknown-4714"]
    /// Of API tokens, webhooks and texts about people.
    private static let words = ["bearer-4715", "attribute-4716", "reason-4717", "whsec_", "webhook-4718", "grant-4719"]

    private static var secrets: [String] {
        [Self.token, Self.token.uppercased(), Self.account] + Self.ids + Self.customers + Self.words
    }

    private let store: TestStore

    init() throws { self.store = try TestStore.shared.get() }

    @Test func `at trace no identifier, payload or secret is logged, whatever is asked`() async throws {
        let lines = LogLines()
        let log = InMemoryEventStore()
        _ = log.raiseFeatureLevel(to: .supported)
        let transaction = try self.store.transaction(id: Self.ids[0], token: Self.token.uppercased())
        let second = try self.store.transaction(id: Self.ids[1])
        let notification = try self.store.notification(id: Self.ids[1])
        let answered = try await Node.run(store: log, logger: lines.logger) { node in
            var answered = 0
            func ask(_ method: String, _ path: String, _ body: String? = nil) async throws -> HTTPConnection.Answer {
                try await node.send(method, path, headers: ["perennial-client": "t"], body: body)
            }
            var requests: [(String, String, String?)] = [
                ("POST", "/v1/apple/notifications", notification),
                ("POST", "/v1/apple/notifications", notification.replacingOccurrences(of: ".", with: ".x")),
                ("POST", "/v1/transactions", #"{"signedTransaction":"\#(transaction)","customerId":"customer-4711"}"#),
                ("POST", "/v1/transactions", #"{"signedTransaction":"\#(second)","customerId":"customer-4711"}"#),
                ("POST", "/v1/transactions", #"{"signedTransaction":"\#(second)","customerId":"customer-4712"}"#),
                ("POST", "/v1/transactions", #"{"signedTransaction":"\#(second)x","customerId":"customer-4712"}"#),
                ("POST", "/v1/transactions", #"{"signedTransaction":"\#(second)","customer":"customer-4712"}"#),
            ]
            for id in Self.ids {
                requests += ["", "/events", "/events?evidence=true", "/explain"].map {
                    ("GET", "/v1/subscriptions/\(id)\($0)", nil)
                }
                requests.append(("POST", "/v1/subscriptions/\(id)/refresh", nil))
                requests.append(("GET", "/v1/find?q=\(id)", nil))
                requests.append(("GET", "/v1/purchases/\(id)", nil))
            }
            for customer in Self.customers {
                let path = "/v1/customers/\(customer)"
                requests += [
                    ("GET", path, nil), ("GET", "\(path)/entitlements", nil),
                    ("GET", "\(path)?environment=reason-4717", nil),
                    ("PUT", path, #"{"attributes":{"plan":"attribute-4716"}}"#),
                    ("PUT", path, #"{"appAccountTokens":["\#(Self.token)"],"appTransactionIds":["\#(Self.account)"]}"#),
                    ("PUT", path, #"{"appTransactionId":"\#(Self.account)"}"#),
                    ("PUT", "\(path)/subscriptions/\(Self.ids[1])?preview=true", #"{"reason":"reason-4717"}"#),
                    ("PUT", "\(path)/subscriptions/\(Self.ids[1])", #"{"reason":"reason-4717"}"#),
                    ("DELETE", "\(path)/conflicts/\(Self.ids[1])", nil),
                    ("DELETE", "\(path)/subscriptions/\(Self.ids[1])", nil),
                    ("POST", "\(path)/undo", #"{"event":"reason-4717"}"#),
                    (
                        "POST", "\(path)/grants",
                        #"{"id":"grant-4719","entitlement":"pro","reason":"reason-4717","source":"web"}"#
                    ),
                    ("DELETE", "\(path)/grants/grant-4719", nil),
                    ("DELETE", "\(path)/tokens/\(Self.token)", nil),
                    ("DELETE", "\(path)/app-transactions/\(Self.account)", nil),
                    ("GET", "/v1/find?q=\(customer)", nil), ("GET", "\(path)/nothing/\(Self.token)", nil),
                ]
            }
            requests += [
                ("POST", "/v1/customers/anonymous-4713/move", #"{"to":"customer-4711","reason":"reason-4717"}"#),
                ("POST", "/v1/customers/anonymous-4713/move", #"{"to":"customer-4712"}"#),
                ("GET", "/v1/customers?limit=1", nil), ("GET", "/v1/events", nil), ("GET", "/v1/quarantine", nil),
                ("GET", "/v1/find?q=\(Self.token)", nil), ("GET", "/v1/find?q=\(Self.account)", nil),
                (
                    "POST", "/v1/check",
                    #"{"checks":[{"customer":"customer-4711","entitlement":"pro"},{"subscription":"\#(Self.ids[0])"}]}"#
                ),
                ("POST", "/v1/webhooks", #"{"url":"http://127.0.0.1:1/webhook-4718"}"#),
                ("GET", "/v1/webhooks", nil), ("POST", "/v1/jobs", #"{"kind":"reevaluate"}"#),
            ]
            for (method, path, body) in requests {
                let answer = try await ask(method, path, body)
                #expect(answer.status < 500, "\(method) \(path)")
                answered += answer.status < 300 ? 1 : 0
            }
            let customer = try await ask("GET", "/v1/customers/customer-4711")
            for event in customer.json["history"] as? [[String: Any]] ?? [] {
                _ = try await ask("POST", "/v1/customers/customer-4711/undo", #"{"event":"\#(event["event"] ?? "")"}"#)
            }
            _ = try await node.send("GET", "/v1/customers/customer-4711", token: "bearer-4715")
            let job = try await ask("DELETE", "/v1/customers/customer-4711", nil)
            #expect(job.status == 202)
            try await eventually {
                try await node.send("GET", "/v1/jobs/\(job.json["id"] ?? "")").json["state"] as? String == "done"
            }
            return answered
        }
        // The flows have been gone through, and said something.
        #expect(answered > 50)
        #expect(lines.count(of: "A request was answered") > 80)
        let payloads = [transaction, second, notification].flatMap { $0.split(separator: ".").map(String.init) }
        for secret in Self.secrets + payloads.filter({ $0.count > 20 }) {
            let found = lines.all.filter { $0.localizedCaseInsensitiveContains(secret) }
            #expect(found.isEmpty, "\(secret.prefix(40)) is in \(found.prefix(2))")
        }
    }
}
