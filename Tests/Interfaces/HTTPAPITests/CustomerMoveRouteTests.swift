import EventLog
import Foundation
import HTTPAPI
import InMemoryStore
import PerennialTestSupport
import Subscriptions
import Testing

/// Moves of customers over HTTP.
@Suite(.timeLimit(.minutes(10))) struct CustomerMoveRouteTests {
    @Test func `a move answers with the one who has everything, and is visible on both sides`() async throws {
        let log = InMemoryEventStore()
        _ = log.raiseFeatureLevel(to: .supported)
        try await Node.run(store: log) { node in
            let grant = #"{"entitlement":"pro","reason":"r","source":"web","permanent":true}"#
            _ = try await node.send("PUT", "/v1/customers/anon/grants/g", body: grant)
            // A move that meets what the customer is told begins anew, and says so.
            try await eventually {
                let events = try await node.send("GET", "/v1/events").json["events"] as? [[String: Any]]
                return events?.contains { $0["kind"] as? String == "entitlementGained" } ?? false
            }
            for _ in 0..<2 {
                let moved = try await node.send(
                    "POST", "/v1/customers/anon/move", body: #"{"to":"u-1","reason":"signed in"}"#)
                #expect(moved.status == 200 && moved.json["customerId"] as? String == "u-1")
                #expect((moved.json["grants"] as? [[String: Any]])?.map { $0["id"] as? String } == ["g"])
            }
            let old = try await node.send("GET", "/v1/customers/anon")
            #expect(old.status == 200 && old.json["movedTo"] as? String == "u-1")
            #expect(try await node.send("GET", "/v1/customers/u-1").json["movedTo"] is NSNull)
            let checks = try await node.send(
                "POST", "/v1/check", body: #"{"checks":[{"customer":"anon"},{"customer":"u-1","entitlement":"pro"}]}"#)
            let results = try #require(checks.json["results"] as? [[String: Any]])
            #expect(results[0]["reason"] as? String == "customerMoved" && results[0]["movedTo"] as? String == "u-1")
            #expect(results.map { $0["entitled"] as? Bool } == [false, true])

            let page = try await node.send("GET", "/v1/events")
            let events = try #require(page.json["events"] as? [[String: Any]])
            let moves = events.filter { ["moveExpected", "moved", "moveSettled"].contains($0["kind"] as? String) }
            #expect(moves.count == 3, "a repetition says nothing")
            let data = moves.compactMap { $0["data"] as? [String: Any] }
            #expect(data.compactMap { $0["movedTo"] as? String } == ["u-1"])
            #expect(data.first { $0["movedTo"] != nil }?["reason"] as? String == "signed in")
            #expect(data.compactMap { $0["movedFrom"] as? String } == ["anon", "anon"])

            // What is changed under the old id is changed at the other one, and answered with it.
            let later = try await node.send("PUT", "/v1/customers/anon/grants/later", body: grant)
            #expect(later.status == 200 && later.json["id"] as? String == "later")
            let posted = try await node.send("POST", "/v1/customers/anon/grants", body: grant)
            #expect(posted.status == 201)
            for id in ["g", "later"] {
                let revoked = try await node.send("DELETE", "/v1/customers/anon/grants/\(id)")
                #expect(revoked.status == 200 && revoked.json["revokedAt"] is String, "\(id)")
            }
            let set = try await node.send("PUT", "/v1/customers/anon", body: #"{"attributes":{"a":1}}"#)
            #expect(set.status == 200 && set.json["customerId"] as? String == "u-1")
            #expect((set.json["attributes"] as? [String: Any])?["a"] as? Int == 1)
            let device = try await node.send("GET", "/v1/customers/anon/entitlements")
            #expect(device.json["movedTo"] as? String == "u-1")

            for (path, body, status, code) in [
                ("u-1", #"{"to":"u-1"}"#, 400, "invalidRequest"), ("u-1", #"{"to":"anon"}"#, 409, "customerMoved"),
                ("anon", #"{"to":"v"}"#, 409, "customerMoved"), ("u-1", #"{"to":""}"#, 400, "invalidCustomerId"),
                ("u-1", "{}", 400, "malformedBody"), ("u-1", #"{"too":"v"}"#, 400, "malformedBody"),
            ] {
                let answer = try await node.send("POST", "/v1/customers/\(path)/move", body: body)
                #expect(answer.status == status && answer.code == code, "\(path) \(body)")
            }
        }
    }

    @Test func `a store that older nodes may read moves nobody`() async throws {
        let log = InMemoryEventStore()
        _ = log.raiseFeatureLevel(to: .customerStreams)
        try await Node.run(store: log) { node in
            let refused = try await node.send("POST", "/v1/customers/a/move", body: #"{"to":"b"}"#)
            #expect(refused.status == 409 && refused.code == "olderNodes")
        }
    }
}
