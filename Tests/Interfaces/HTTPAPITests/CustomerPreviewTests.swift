import EventLog
import Foundation
import HTTPAPI
import InMemoryStore
import PerennialTestSupport
import Subscriptions
import Testing

/// Previews of what moves, and conflicts that are dismissed, over HTTP.
@Suite struct CustomerPreviewTests {
    private static let token = "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"
    private let store: TestStore

    init() throws { self.store = try TestStore.shared.get() }

    /// A node that knows subscription 1, which nobody has, and subscription 2 of the customer whose id is the token.
    private func run(_ body: @Sendable @escaping (Node) async throws -> Void) async throws {
        let posts = [try self.store.transaction(id: "1"), try self.store.transaction(id: "2", token: Self.token)]
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

    private struct Preview: Equatable {
        var gain: [String]
        var lose: [String]
        var changes: [String]
        var refused: String?
    }

    /// What would be, and that nothing is changed.
    private func preview(
        _ node: Node, _ method: String, _ path: String, body: String? = nil
    ) async throws -> Preview {
        /// But for what follows from the change before.
        func events() async throws -> Int {
            let events = try await node.send("GET", "/v1/events").json["events"] as? [[String: Any]]
            return try #require(events).count { ($0["kind"] as? String)?.hasPrefix("entitlement") != true }
        }
        let before = try await events()
        let answer = try await node.send(method, path + "?preview=true", body: body)
        #expect(answer.status == 200)
        let after = try await events()
        #expect(before == after)
        func names(_ member: String) -> [String] {
            (answer.json[member] as? [[String: Any]] ?? []).map { item in
                let until = item["validUntil"] is String ? "dated" : "endless"
                let environment = item["environment"] as? String == "Production" ? "" : " \(item["environment"] ?? "-")"
                return "\(item["customerId"] ?? "-") \(item["entitlement"] ?? "-") \(until)\(environment)"
            }
        }
        return Preview(
            gain: names("wouldGain"), lose: names("wouldLose"), changes: answer.json["changes"] as? [String] ?? [],
            refused: answer.json["refused"] as? String)
    }

    @Test func `a preview says who would gain and who would lose, and what it says comes true`() async throws {
        try await self.run { node in
            let path = "/v1/customers/u-1/subscriptions/1"
            let link = try await self.preview(node, "PUT", path)
            #expect(link == Preview(gain: ["u-1 pro dated"], lose: [], changes: ["linked"]))
            #expect(try await self.preview(node, "DELETE", path) == Preview(gain: [], lose: [], changes: []))
            func entitled() async throws -> Bool? {
                let check = try await node.send("POST", "/v1/check", body: #"{"checks":[{"customer":"u-1"}]}"#)
                return (check.json["results"] as? [[String: Any]])?.first?["entitled"] as? Bool
            }
            #expect(try await entitled() == false)
            #expect(try await node.send("PUT", path).status == 200)
            #expect(try await entitled() == true)
            #expect(try await self.preview(node, "PUT", path) == Preview(gain: [], lose: [], changes: []))
            let unlink = try await self.preview(node, "DELETE", path)
            #expect(unlink == Preview(gain: [], lose: ["u-1 pro dated"], changes: ["unlinked"]))
            // A grant that ends first: the name goes on until then.
            let grant = #"{"entitlement":"pro","reason":"r","source":"web","permanent":true}"#
            _ = try await node.send("PUT", "/v1/customers/u-1/grants/g", body: grant)
            #expect(try await self.preview(node, "DELETE", path).lose.isEmpty)
            _ = try await node.send("DELETE", "/v1/customers/u-1/grants/g")
            // The token would lead there all the same.
            let carried = "/v1/customers/\(Self.token)/subscriptions/2"
            let nobody = try await self.preview(node, "DELETE", carried)
            #expect(nobody == Preview(gain: [], lose: ["\(Self.token) pro dated"], changes: ["unlinked"]))
            let refused = try await self.preview(node, "PUT", "/v1/customers/u-1/subscriptions/2")
            #expect(refused == Preview(gain: [], lose: [], changes: [], refused: "linkedElsewhere"))
            #expect(try await node.send("PUT", "/v1/customers/u-1/subscriptions/9?preview=true").status == 404)
            #expect(try await node.send("PUT", path + "?preview=maybe").status == 400)
        }
    }

    @Test func `a move is previewed too, and who has the name already gains nothing`() async throws {
        try await self.run { node in
            _ = try await node.send("PUT", "/v1/customers/anon/subscriptions/1")
            func move(_ source: String, _ target: String) async throws -> Preview {
                try await self.preview(
                    node, "POST", "/v1/customers/\(source)/move", body: #"{"to":"\#(target)"}"#)
            }
            #expect(
                try await move("anon", "u-1")
                    == Preview(gain: ["u-1 pro dated"], lose: ["anon pro dated"], changes: ["moved"]))
            #expect(
                try await move("anon", Self.token) == Preview(gain: [], lose: ["anon pro dated"], changes: ["moved"]))
            _ = try await node.send("POST", "/v1/customers/anon/move", body: #"{"to":"u-1"}"#)
            #expect(try await move("anon", "u-1") == Preview(gain: [], lose: [], changes: []))
            #expect(
                try await move("u-1", "anon")
                    == Preview(gain: [], lose: [], changes: [], refused: "customerMoved"))
            #expect(try await move("anon", "v").refused == "customerMoved")
            // What is linked under the old id is the other one's.
            let unlink = try await self.preview(node, "DELETE", "/v1/customers/anon/subscriptions/1")
            #expect(unlink.lose == ["u-1 pro dated"])
            let itself = try await node.send(
                "POST", "/v1/customers/v/move?preview=true", body: #"{"to":"v"}"#)
            #expect(itself.status == 400 && itself.code == "invalidRequest")
        }
    }

    @Test func `a conflict is dismissed under any id of its customer, and again changes nothing`() async throws {
        try await self.run { node in
            for name in ["u-1", "u-2"] {
                let refused = try await node.send("PUT", "/v1/customers/\(name)/subscriptions/2")
                #expect(refused.status == 409 && refused.code == "linkedElsewhere")
            }
            func conflicts(_ name: String) async throws -> [String] {
                let json = try await node.send("GET", "/v1/customers/\(name)").json
                return (json["conflicts"] as? [[String: Any]] ?? []).compactMap {
                    $0["originalTransactionId"] as? String
                }
            }
            _ = try await node.send("POST", "/v1/customers/u-1/move", body: #"{"to":"u-3"}"#)
            #expect(try await conflicts("u-3") == ["2"])
            #expect(try await conflicts("u-2") == ["2"])
            #expect(try await node.send("DELETE", "/v1/customers/u-3/conflicts/9").status == 200)
            #expect(try await conflicts("u-3") == ["2"])
            for _ in 0..<2 {
                let answer = try await node.send("DELETE", "/v1/customers/u-3/conflicts/2")
                #expect(answer.status == 200 && (answer.json["conflicts"] as? [Any])?.isEmpty == true)
            }
            #expect(try await conflicts("u-2") == ["2"], "another customer's waits still")
            let holder = try await node.send("GET", "/v1/customers/\(Self.token)").json["streams"] as? [Any]
            #expect(holder?.count == 1, "the purchase is where it was")
            #expect(try await node.send("DELETE", "/v1/customers/u-3/conflicts/a%20b").status == 400)
            let events = try await node.send("GET", "/v1/events").json["events"] as? [[String: Any]] ?? []
            #expect(events.filter { $0["kind"] as? String == "linkConflictClosed" }.count == 1)
        }
    }

    @Test func `a store that older nodes may read dismisses nothing and previews no move`() async throws {
        let log = InMemoryEventStore()
        _ = log.raiseFeatureLevel(to: .customerStreams)
        try await Node.run(store: log) { node in
            let dismissed = try await node.send("DELETE", "/v1/customers/a/conflicts/1")
            #expect(dismissed.status == 409 && dismissed.code == "olderNodes")
            let move = try await node.send("POST", "/v1/customers/a/move?preview=true", body: #"{"to":"b"}"#)
            #expect(move.status == 409 && move.code == "olderNodes")
        }
    }
}
