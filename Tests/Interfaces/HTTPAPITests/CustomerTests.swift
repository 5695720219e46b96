import EventLog
import Foundation
import HTTPAPI
import InMemoryStore
import PerennialTestSupport
import Subscriptions
import Testing

/// Customers over HTTP: links, refusals, checks.
@Suite struct CustomerTests {
    private static let token = "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"
    private let store: TestStore

    init() throws { self.store = try TestStore.shared.get() }

    /// A node that knows subscription 1, which nobody has, subscription 2 of the customer whose id is the token, and purchase 3.
    private func run(_ body: @Sendable @escaping (Node) async throws -> Void) async throws {
        let posts = [
            try self.store.transaction(id: "1"), try self.store.transaction(id: "2", token: Self.token.uppercased()),
            try self.store.transaction(id: "3", type: "Non-Consumable"),
        ]
        let log = InMemoryEventStore()
        _ = log.raiseFeatureLevel(to: .supported)
        try await Node.run(store: log) { node in
            for post in posts {
                let posted = try await node.send(
                    "POST", "/v1/transactions", body: #"{"signedTransaction":"\#(post)"}"#)
                #expect(posted.status == 200)
            }
            try await body(node)
        }
    }

    private func check(_ node: Node, _ checks: String) async throws -> [[String: Any]] {
        let answer = try await node.send("POST", "/v1/check", body: #"{"checks":[\#(checks)]}"#)
        #expect(answer.status == 200)
        return try #require(answer.json["results"] as? [[String: Any]])
    }

    @Test func `a purchase is its customer's by the token that it carries, in any case`() async throws {
        try await self.run { node in
            let results = try await self.check(
                node,
                """
                {"customer":"\(Self.token)","entitlement":"pro"}, {"subscription":"1"},
                {"customer":"\(Self.token.uppercased())"}, {"customer":"\(Self.token)","environment":"Sandbox"},
                {"customer":"nobody","entitlement":"pro"}, {"customer":"nobody","entitlement":"nothing"}, {"customer":""},
                {"customer":"a\\nb"}, {"customer":"a","purchase":"3"}
                """)
            #expect(results.map { $0["entitled"] as? Bool } == [true, true, true, false, false, nil, nil, nil, nil])
            let by = try #require(results[0]["by"] as? [String: Any])
            #expect(by["id"] as? String == "2" && by["kind"] as? String == "subscription")
            #expect(results[0]["rank"] as? Int == 1)
            #expect(results[4]["reason"] as? String == "unknownCustomer")
            let codes = results.map { ($0["error"] as? [String: Any])?["code"] as? String }
            #expect(codes.suffix(4) == ["unknownEntitlement", "invalidCheck", "invalidCheck", "invalidCheck"])
        }
    }

    @Test func `a backend links and unlinks, and each answer shows it at once`() async throws {
        try await self.run { node in
            let path = "/v1/customers/u%2F1/subscriptions/1"
            let linked = try await node.send("PUT", path, body: #"{"reason":"case 7"}"#)
            #expect(linked.status == 200)
            let streams = try #require(linked.json["streams"] as? [[String: Any]])
            #expect(streams.map { $0["originalTransactionId"] as? String } == ["1"])
            #expect(streams.map { $0["because"] as? String } == ["link"])
            #expect(
                try await self.check(node, #"{"customer":"u/1","entitlement":"pro"}"#)[0]["entitled"] as? Bool == true)

            let purchase = try await node.send(
                "PUT", "/v1/customers/u%2F1/purchases/3", headers: ["perennial-client": "t"])
            #expect((purchase.json["streams"] as? [Any])?.count == 2, "a body may be left out")

            for _ in 0..<2 {
                let unlinked = try await node.send("DELETE", path, headers: ["perennial-client": "t"])
                #expect(unlinked.status == 200, "safe to repeat")
                #expect((unlinked.json["streams"] as? [Any])?.count == 1)
            }
            let events = try await node.send("GET", "/v1/subscriptions/1/events")
            let kinds = (events.json["events"] as? [[String: Any]])?.map { $0["kind"] as? String }
            #expect(kinds == ["subscribed", "linked", "unlinked"])
            let link = try #require((events.json["events"] as? [[String: Any]])?[1])
            #expect(link["source"] as? String == "person")
        }
    }

    @Test func `a link that contradicts is refused and left as a conflict`() async throws {
        try await self.run { node in
            let refused = try await node.send("PUT", "/v1/customers/thief/subscriptions/2", body: "{}")
            #expect(refused.status == 409)
            #expect(refused.code == "linkedElsewhere")
            let thief = try await node.send("GET", "/v1/customers/thief")
            #expect((thief.json["streams"] as? [Any])?.isEmpty == true)
            #expect((thief.json["conflicts"] as? [[String: Any]])?.first?["originalTransactionId"] as? String == "2")
            #expect(try await self.check(node, #"{"customer":"thief"}"#)[0]["entitled"] as? Bool == false)
            let holder = try await node.send("GET", "/v1/customers/\(Self.token)")
            #expect((holder.json["streams"] as? [Any])?.count == 1)
        }
    }

    @Test func `a post is recorded whoever it names, and moves nothing by itself`() async throws {
        let posted = try self.store.transaction(id: "2", token: Self.token)
        try await self.run { node in
            for restore in ["", #","restore":true"#] {
                let answer = try await node.send(
                    "POST", "/v1/transactions",
                    body: #"{"signedTransaction":"\#(posted)","customerId":"thief"\#(restore)}"#)
                #expect(answer.status == 409)
                #expect(answer.code == "linkedElsewhere")
                #expect(answer.json["recorded"] as? Bool == true)
            }
            let own = try await node.send(
                "POST", "/v1/transactions", body: #"{"signedTransaction":"\#(posted)","customerId":"\#(Self.token)"}"#)
            #expect(own.status == 200)
            let orphan = try await node.send(
                "POST", "/v1/transactions", body: #"{"signedTransaction":"\#(posted)","restore":true}"#)
            #expect(orphan.status == 400)
        }
    }

    @Test func `what cannot be a customer or a purchase gets one clear answer`() async throws {
        try await self.run { node in
            for id in ["%00", String(repeating: "a", count: 129), "a%0Ab"] {
                for path in ["/v1/customers/\(id)", "/v1/customers/\(id)/entitlements"] {
                    let answer = try await node.send("GET", path)
                    #expect(answer.status == 400)
                    #expect(answer.code == "invalidCustomerId")
                }
            }
            #expect(try await node.send("GET", "/v1/customers/new").code == "unknownCustomer")
            let new = try await node.send("GET", "/v1/customers/new/entitlements")
            #expect(new.status == 200)
            #expect((new.json["entitlements"] as? [[String: Any]])?.map { $0["entitled"] as? Bool } == [false, false])
            #expect(new.json["streams"] == nil)
            let missing = try await node.send("PUT", "/v1/customers/u/subscriptions/404", body: "{}")
            #expect(missing.status == 404)
            #expect(missing.code == "unknownSubscription")
            let misspelt = try await node.send("PUT", "/v1/customers/u/subscriptions/1", body: #"{"reson":"x"}"#)
            #expect(misspelt.status == 400)
            let long = String(repeating: "a", count: 257)
            let tooLong = try await node.send("PUT", "/v1/customers/u/subscriptions/1", body: #"{"reason":"\#(long)"}"#)
            #expect(tooLong.status == 400)
            #expect(try await self.check(node, #"{"customer":"u"}"#)[0]["entitled"] as? Bool == false)
        }
    }

    @Test func `a token of an answer about customers counts for the next question`() async throws {
        try await self.run { node in
            let linked = try await node.send("PUT", "/v1/customers/u/subscriptions/1", body: "{}")
            let token = try #require(linked.json["token"] as? String)
            let answer = try await node.send(
                "POST", "/v1/check", headers: ["Perennial-At-Least": token],
                body: #"{"checks":[{"customer":"u"},{"subscription":"1"},{"customer":"\#(Self.token)"}]}"#)
            #expect(answer.status == 200)
            let results = try #require(answer.json["results"] as? [[String: Any]])
            #expect(results.map { $0["entitled"] as? Bool } == [true, true, true])
            let again = try #require(answer.json["token"] as? String)
            let later = try await node.send("GET", "/v1/customers/u", headers: ["Perennial-At-Least": again])
            #expect(later.status == 200)
        }
    }

    @Test func `a customer whom the store cannot say anything of costs no other item its answer`() async throws {
        let post = try self.store.transaction(id: "1")
        try await Node.run(store: LookuplessStore(inner: InMemoryEventStore())) { node in
            _ = try await node.send("POST", "/v1/transactions", body: #"{"signedTransaction":"\#(post)"}"#)
            let results = try await self.check(node, #"{"customer":"u"}, {"subscription":"1"}, {"customer":"v"}"#)
            #expect(results.map { $0["entitled"] as? Bool } == [nil, true, nil])
            let codes = results.map { ($0["error"] as? [String: Any])?["code"] as? String }
            #expect(codes == ["storeUnavailable", nil, "storeUnavailable"])
            let alone = try await node.send("POST", "/v1/check", body: #"{"checks":[{"customer":"u"}]}"#)
            #expect(alone.status == 503)
        }
    }
}

/// A store that finds nothing by identifiers.
private struct LookuplessStore: ForwardingStore {
    let inner: any EventStore

    func streams(for identifiers: [SoughtIdentifier]) async throws(StoreError) -> [[[UInt8]]] {
        throw StoreError(.unavailable, "as the test says")
    }
}
