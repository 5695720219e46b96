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

    @Test func `a move is taken back, and what has changed since is named`() async throws {
        let log = InMemoryEventStore()
        _ = log.raiseFeatureLevel(to: .supported)
        try await Node.run(store: log) { node in
            let body = #"{"appTransactionIds":["7041"],"attributes":{"a":1,"b":1}}"#
            _ = try await node.send("PUT", "/v1/customers/old", body: body)
            let grant = #"{"id":"g","entitlement":"pro","reason":"r","source":"web","permanent":true}"#
            _ = try await node.send("POST", "/v1/customers/old/grants", body: grant)
            _ = try await node.send("POST", "/v1/customers/old/move", body: #"{"to":"new"}"#)
            _ = try await node.send("PUT", "/v1/customers/new", body: #"{"attributes":{"a":2}}"#)
            _ = try await node.send("DELETE", "/v1/customers/new/grants/g")
            _ = try await node.send("DELETE", "/v1/customers/new/app-transactions/7041")
            let shown = try await node.send("GET", "/v1/customers/new").json
            let history = try #require(shown["history"] as? [[String: Any]])
            let move = try #require(history.first { $0["kind"] as? String == "moved" }?["event"] as? String)
            let undone = try await node.send("POST", "/v1/customers/new/undo", body: #"{"event":"\#(move)"}"#)
            #expect(undone.status == 200)
            let left = try #require(undone.json["notUndone"] as? [[String: String]])
            #expect(
                Set(left) == [
                    ["kind": "appTransactionId", "id": "7041"], ["kind": "grant", "id": "g"],
                    ["kind": "attribute", "name": "a"],
                ])
            let old = try await node.send("GET", "/v1/customers/old").json
            #expect(old["movedTo"] is NSNull)
            let events = try #require(old["history"] as? [[String: Any]])
            #expect(events.first?["kind"] as? String == "moved" && events.first?["movedBackFrom"] as? String == "new")
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
