import EventLog
import Foundation
import HTTPAPI
import InMemoryStore
import PerennialTestSupport
import Subscriptions
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
            let places = try #require(deleted.json["remains"] as? [[String: Any]])
            #expect(places.compactMap { $0["place"] as? String }.contains("backups"))
            #expect(places.allSatisfy { $0["until"] is NSNull })
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

    @Test func `a deletion says until when backups have the customer, where that is known`() async throws {
        let log = InMemoryEventStore()
        _ = log.raiseFeatureLevel(to: .supported)
        var configuration = Configuration.patient()
        configuration.backupsKeptFor = .days(30)
        let clock = ManualClock(Moment(milliseconds: 1_790_000_000_000))
        try await Node.run(store: log, clock: clock, configuration: configuration) { node in
            let deleted = try await node.send("DELETE", "/v1/customers/u-1")
            let places = try #require(deleted.json["remains"] as? [[String: Any]])
            let backups = try #require(places.first { $0["place"] as? String == "backups" })
            #expect(backups["until"] as? String == (clock.now + .days(30)).rfc3339)
            // It ends later.
            clock.advance(to: clock.now + .minutes(1))
            let id = try #require(deleted.json["id"] as? String)
            try await eventually {
                try await node.send("GET", "/v1/jobs/\(id)").json["state"] as? String == "done"
            }
            let ended = try #require(try await node.send("GET", "/v1/jobs/\(id)").json["remains"] as? [[String: Any]])
            let later = try #require(ended.first { $0["place"] as? String == "backups" })
            #expect(later["until"] as? String == (clock.now + .days(30)).rfc3339)
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
