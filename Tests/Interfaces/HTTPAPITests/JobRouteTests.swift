import EventLog
import Foundation
import HTTPAPI
import InMemoryStore
import Testing

/// Jobs over HTTP.
@Suite struct JobRouteTests {
    private static func run(_ body: @Sendable (Node) async throws -> Void) async throws {
        let log = InMemoryEventStore()
        _ = log.raiseFeatureLevel(to: .supported)
        try await Node.run(store: log, body)
    }

    @Test func `a job is begun, shown, listed and ended`() async throws {
        try await Self.run { node in
            #expect((try await node.send("GET", "/v1/jobs").json["jobs"] as? [Any])?.isEmpty == true)
            let begun = try await node.send("POST", "/v1/jobs", body: #"{"kind":"reevaluate"}"#)
            #expect(begun.status == 202)
            let id = try #require(begun.json["id"] as? String)
            var state: String?
            while state == nil || state == "running" {
                let shown = try await node.send("GET", "/v1/jobs/\(id)")
                #expect(shown.status == 200)
                state = shown.json["state"] as? String
                try await Task.sleep(for: .milliseconds(5))
            }
            #expect(state == "done")
            let list = try #require(try await node.send("GET", "/v1/jobs").json["jobs"] as? [[String: Any]])
            #expect(list.map { $0["id"] as? String } == [id])
            let cancelled = try await node.send("DELETE", "/v1/jobs/\(id)")
            #expect(cancelled.status == 200 && cancelled.json["state"] as? String == "done", "it has ended")
        }
    }

    @Test(arguments: [
        ("GET", "/v1/jobs/none", nil, 404, "unknownJob"), ("DELETE", "/v1/jobs/none", nil, 404, "unknownJob"),
        ("POST", "/v1/jobs", "{}", 400, "malformedBody"), ("POST", "/v1/jobs", #"{"kind":"x"}"#, 400, "malformedBody"),
        ("POST", "/v1/jobs", #"{"kind":1}"#, 400, "malformedBody"),
        ("POST", "/v1/jobs", #"{"kind":"reevaluate","x":1}"#, 400, "malformedBody"),
    ])
    func `what cannot be done gets a clear answer`(
        _ method: String, _ path: String, _ body: String?, _ status: Int, _ code: String
    ) async throws {
        try await Self.run { node in
            let answer = try await node.send(method, path, body: body)
            #expect(answer.status == status && answer.code == code)
            #expect((try await node.send("GET", "/v1/jobs").json["jobs"] as? [Any])?.isEmpty == true)
        }
    }

    @Test func `older nodes have to go first`() async throws {
        try await Node.run(store: InMemoryEventStore()) { node in
            let answer = try await node.send("POST", "/v1/jobs", body: #"{"kind":"reevaluate"}"#)
            #expect(answer.status == 409 && answer.code == "olderNodes")
        }
    }
}
