import EventLog
import Foundation
import HTTPAPI
import InMemoryStore
import PerennialTestSupport
import Subscriptions
import Testing

/// What an identifier of any kind leads to, over HTTP.
@Suite struct FindTests {
    private static let token = "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"
    private let store: TestStore

    init() throws { self.store = try TestStore.shared.get() }

    private func find(_ node: Node, _ text: String) async throws -> HTTPConnection.Answer {
        let encoded = try #require(text.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        return try await node.send("GET", "/v1/find?q=\(encoded)")
    }

    private func streams(_ answer: HTTPConnection.Answer) -> [String] {
        (answer.json["streams"] as? [[String: Any]] ?? []).map { stream in
            let because = (stream["because"] as? [String] ?? []).joined(separator: "+")
            return "\(stream["kind"] ?? "") \(stream["originalTransactionId"] ?? "") \(because)"
        }
    }

    @Test func `an id, a token and a customer are found, and what a link has named stays found`() async throws {
        let posts = [
            try self.store.transaction(id: "1"), try self.store.transaction(id: "2", token: Self.token),
            try self.store.transaction(id: "3", type: "Non-Consumable"),
        ]
        let log = InMemoryEventStore()
        _ = log.raiseFeatureLevel(to: .supported)
        try await Node.run(store: log) { node in
            for post in posts {
                _ = try await node.send("POST", "/v1/transactions", body: #"{"signedTransaction":"\#(post)"}"#)
            }
            _ = try await node.send("PUT", "/v1/customers/u%2F1/subscriptions/1", body: "{}")
            _ = try await node.send("PUT", "/v1/customers/u%2F1/purchases/3", body: "{}")

            #expect(self.streams(try await self.find(node, "1")) == ["subscription 1 originalTransactionId"])
            #expect(self.streams(try await self.find(node, "3")) == ["purchase 3 originalTransactionId"])
            let token = try await self.find(node, Self.token.uppercased())
            #expect(self.streams(token) == ["subscription 2 appAccountToken"])
            #expect(token.json["customerId"] as? String == Self.token, "the token is its customer's id")
            let customer = try await self.find(node, "u/1")
            #expect(self.streams(customer) == ["subscription 1 customerId", "purchase 3 customerId"])
            #expect(customer.json["customerId"] as? String == "u/1")

            _ = try await node.send(
                "DELETE", "/v1/customers/u%2F1/subscriptions/1", headers: ["perennial-client": "t"])
            #expect(self.streams(try await self.find(node, "u/1")).count == 2)

            for nothing in ["404", "nobody", "é", Self.token.replacing("a0", with: "b0")] {
                let answer = try await self.find(node, nothing)
                #expect(answer.status == 200)
                #expect(answer.json["customerId"] is NSNull && self.streams(answer).isEmpty)
            }
            for bad in ["", "a\nb", String(repeating: "a", count: 129)] {
                let answer = try await self.find(node, bad)
                #expect(answer.status == 400 && answer.code == "invalidParameter")
            }
            #expect(try await node.send("GET", "/v1/find").code == "invalidParameter")
        }
    }
}
