import EventLog
import Foundation
import HTTPAPI
import InMemoryStore
import ServiceLifecycle
import Subscriptions
import Testing

@Suite struct ShutdownTests {
    @Test func whatIsUnderWayIsAnsweredAndIdleConnectionsEnd() async throws {
        try await Node.run { node in
            try await HTTPConnection.with(port: node.port) { idle in
                #expect(try await idle.send("GET", "/livez").status == 200)
                try await HTTPConnection.with(port: node.port) { busy in
                    try await busy.send(
                        "POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 13\r\n"
                            + "Expect: 100-continue\r\n\r\n")
                    // Its request is under way once we are asked for the body.
                    #expect(try await busy.answer().status == 100)

                    await node.group.triggerGracefulShutdown()

                    try await idle.waitForEnd()
                    try await busy.send(#"{"checks":[]}"#)
                    let answer = try await busy.answer()
                    #expect(answer.status == 200)
                    #expect(answer.headers["connection"] == "close")
                    try await busy.waitForEnd()
                }
            }
        }
    }

    @Test func aReplayOfTheQuarantineEndsWithTheNode() async throws {
        // given: rows that nobody can read, and a replay that is at the first of them when the node is to stop
        let (begun, beginning) = AsyncStream<Void>.makeStream()
        let events = InMemoryEventStore()
        for number in UInt8(0)..<3 {
            try events.quarantine(
                QuarantinedPayload(
                    digest: ContentHash.sha256([number]), reason: "unknownApp", detail: "", receivedAt: 0, raw: [number]
                ))
        }
        try await Node.run(store: LingeringStore(events, beginning)) { node in
            async let answer = node.send("POST", "/v1/quarantine/replay")
            for await _ in begun { break }
            // when
            await node.group.triggerGracefulShutdown()
            // then
            let replay = try await answer
            #expect(replay.json["failed"] as? Int == 1)
        }
    }

    /// Clients that go on sending until they are cut off: whatever was answered with 200 is in the store.
    @Test func nothingThatWasAcknowledgedIsLost() async throws {
        let store = try TestStore.shared.get()
        let events = InMemoryEventStore()
        let acknowledged = try await Node.run(store: events) { node in
            try await withThrowingTaskGroup(of: [String].self) { clients in
                for client in 0..<4 {
                    clients.addTask {
                        var acknowledged: [String] = []
                        try? await HTTPConnection.with(port: node.port) { connection in
                            for number in 0..<1_000 {
                                let id = "\(client)-\(number)"
                                let body = try store.notification(id: id)
                                let answer = try await connection.send("POST", "/v1/apple/notifications", body: body)
                                if answer.status == 200 { acknowledged.append(id) }
                                if client == 0, number == 20 { await node.group.triggerGracefulShutdown() }
                            }
                        }
                        return acknowledged
                    }
                }
                return try await clients.reduce(into: Set<String>()) { $0.formUnion($1) }
            }
        }

        #expect(acknowledged.count >= 20)
        try await Node.run(store: events) { node async throws in
            for id in acknowledged {
                let answer = try await node.send("GET", "/v1/subscriptions/\(id)")
                #expect(answer.status == 200, "\(id): \(answer.body)")
            }
        }
    }
}
