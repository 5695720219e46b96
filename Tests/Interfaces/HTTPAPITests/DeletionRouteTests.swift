import EventLog
import Foundation
import HTTPAPI
import InMemoryStore
import PerennialTestSupport
import Testing

/// Deletions of customers over HTTP.
@Suite(.timeLimit(.minutes(10))) struct DeletionRouteTests {
    @Test func `a deletion answers with a job once nothing shows the customer`() async throws {
        let log = InMemoryEventStore()
        _ = log.raiseFeatureLevel(to: .supported)
        try await Node.run(store: log) { node in
            let set = try await node.send("PUT", "/v1/customers/u-1", body: #"{"attributes":{"plan":"gold"}}"#)
            #expect(set.status == 200)
            let deleted = try await node.send("DELETE", "/v1/customers/u-1")
            #expect(deleted.status == 202)
            #expect(deleted.json["kind"] as? String == "erase")
            #expect(try await node.send("GET", "/v1/customers/u-1").status == 404)
            let id = try #require(deleted.json["id"] as? String)
            try await eventually {
                try await node.send("GET", "/v1/jobs/\(id)").json["state"] as? String == "done"
            }
            let events = try await node.send("GET", "/v1/events").json["events"] as? [[String: Any]]
            #expect(events?.last?["kind"] as? String == "deleted")
            let text = try String(
                decoding: JSONSerialization.data(withJSONObject: try #require(events)), as: UTF8.self)
            #expect(!text.contains("u-1") && !text.contains("gold"))
            #expect(try await node.send("PUT", "/v1/customers/u-1", body: #"{"attributes":{"a":1}}"#).status == 200)
        }
    }

    @Test func `of ids that cannot be a customer's nothing is deleted`() async throws {
        let log = InMemoryEventStore()
        _ = log.raiseFeatureLevel(to: .supported)
        try await Node.run(store: log) { node in
            for id in ["%00", "a%0Ab", String(repeating: "a", count: 129), "%FF"] {
                let answer = try await node.send("DELETE", "/v1/customers/\(id)")
                #expect(answer.status == 400, "\(id)")
            }
            #expect((try await node.send("GET", "/v1/jobs").json["jobs"] as? [Any])?.isEmpty == true)
            #expect(try await node.send("POST", "/v1/jobs", body: #"{"kind":"erase"}"#).status == 400)
        }
    }
}
