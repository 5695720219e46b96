import EventLog
import Foundation
import HTTPAPI
import InMemoryStore
import Testing

/// Lists of customers over HTTP.
@Suite struct CustomerListRouteTests {
    @Test func `a list has its filters, its pages and its refusals`() async throws {
        let log = InMemoryEventStore()
        _ = log.raiseFeatureLevel(to: .supported)
        try await Node.run(store: log) { node in
            let empty = try await node.send("GET", "/v1/customers")
            #expect(empty.status == 200 && (empty.json["customers"] as? [Any])?.isEmpty == true)
            #expect(empty.json["next"] is NSNull && empty.json["asOf"] is String)
            let all = "state=retry&product=pro&expiresBefore=2027-01-01T00:00:00Z&expiresFrom=2026-01-01T00:00:00Z"
            let filtered = try await node.send(
                "GET", "/v1/customers?\(all)&conflicts=true&unclaimed=true&environment=Sandbox&bundleId=a&limit=1")
            #expect(filtered.status == 200)
            for query in [
                "state=gone", "expiresBefore=soon", "conflicts=1", "unclaimed=yes", "limit=0", "limit=1001", "after=x",
                "states=retry",
            ] {
                #expect(try await node.send("GET", "/v1/customers?\(query)").status == 400, "\(query)")
            }
        }
    }
}
