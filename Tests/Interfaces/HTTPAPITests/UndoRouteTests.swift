import EventLog
import Foundation
import HTTPAPI
import InMemoryStore
import Testing

/// Taking back over HTTP.
@Suite struct UndoRouteTests {
    @Test func `an event of the history is taken back, once`() async throws {
        let log = InMemoryEventStore()
        _ = log.raiseFeatureLevel(to: .supported)
        try await Node.run(store: log) { node in
            _ = try await node.send("PUT", "/v1/customers/u-1", body: #"{"appTransactionIds":["7041"]}"#)
            let shown = try await node.send("GET", "/v1/customers/u-1")
            let history = try #require(shown.json["history"] as? [[String: Any]])
            let event = try #require(history.first?["event"] as? String)
            let body = #"{"event":"\#(event)","reason":"mistaken"}"#
            let undone = try await node.send("POST", "/v1/customers/u-1/undo", body: body)
            #expect(undone.status == 200)
            #expect((undone.json["identifiers"] as? [String: [String]])?["appTransactionIds"] == [])
            let left = try await node.send("GET", "/v1/customers/u-1")
            #expect(left.status == 200, "nothing leads there, and somebody may want it back")
            #expect((left.json["history"] as? [Any])?.count == 2)
            let again = try await node.send("POST", "/v1/customers/u-1/undo", body: body)
            #expect(again.status == 409 && again.code == "nothingToUndo")
        }
    }

    @Test(arguments: [
        ("{}", 400, "malformedBody"), (#"{"event":1}"#, 400, "malformedBody"),
        (#"{"event":"1-1","x":1}"#, 400, "malformedBody"), (#"{"event":"none"}"#, 409, "nothingToUndo"),
    ])
    func `what cannot be taken back gets a clear answer`(_ body: String, _ status: Int, _ code: String) async throws {
        let log = InMemoryEventStore()
        _ = log.raiseFeatureLevel(to: .supported)
        try await Node.run(store: log) { node in
            let answer = try await node.send("POST", "/v1/customers/u-1/undo", body: body)
            #expect(answer.status == status && answer.code == code)
        }
    }
}
