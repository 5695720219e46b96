import Dispatch
import EventLog
import HTTPAPI
import PerennialTestSupport
import SubscriptionService
import Subscriptions
import Testing
import Waiting

/// Questions about the past may take long. Nothing else waits for them.
@Suite(.timeLimit(.minutes(10))) struct PastTests {
    private let store: TestStore

    init() throws { self.store = try TestStore.shared.get() }

    @Test func questionsThatTakeLongKeepNobodyWaitingAndAreBounded() async throws {
        try await Node.run { node in
            let transaction = try self.store.transaction(id: "77", purchased: .now + .hours(-1))
            let posted = try await node.send(
                "POST", "/v1/transactions", body: #"{"signedTransaction":"\#(transaction)"}"#)
            #expect(posted.status == 200)
            let past = "/v1/subscriptions/77?at=\((Moment.now + .minutes(-1)).rfc3339)"
            try await Self.holdingFoldingThreads { release in
                try await withThrowingTaskGroup(of: HTTPConnection.Answer.self) { group in
                    defer { release() }
                    // given: more questions than there are threads for anything, and none of them gets on
                    for _ in 0..<24 { group.addTask { try await node.send("GET", past) } }
                    // when: as many as may be are under way, the others are refused
                    for _ in 0..<8 {
                        let refused = try #require(try await group.next())
                        #expect(refused.status == 503)
                        #expect(refused.json["code"] as? String == "overloaded")
                        #expect(refused.json["retryable"] as? Bool == true)
                    }
                    // then: all else goes on
                    for _ in 0..<20 {
                        #expect(try await node.send("GET", "/livez").status == 200)
                        #expect(try await node.send("GET", "/v1/subscriptions/77").status == 200)
                    }
                    let check = try await node.send(
                        "POST", "/v1/check", body: #"{"checks":[{"subscription":"77"}]}"#)
                    #expect(check.status == 200)
                    release()
                    // and each of them is answered in the end
                    for try await answer in group {
                        #expect(answer.status == 200)
                        #expect(answer.json["state"] as? String == "subscribed")
                    }
                }
            }
        }
    }

    /// Keeps all threads that fold from doing so until `body` says so, or is over.
    private static func holdingFoldingThreads(
        _ body: (@escaping @Sendable () -> Void) async throws -> Void
    ) async throws {
        let count = FoldingThreads.shared.count
        let (held, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let release: @Sendable () -> Void = { for _ in 0..<count { gate.signal() } }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<count {
                group.addTask { try await FoldingThreads.shared.run { Self.block(held, gate) } }
            }
            await onOwnThread { for _ in 0..<count { held.wait() } }
            let result: Result<Void, any Error>
            do { result = .success(try await body(release)) } catch { result = .failure(error) }
            release()
            try await group.waitForAll()
            try result.get()
        }
    }

    private static func block(_ held: DispatchSemaphore, _ gate: DispatchSemaphore) {
        held.signal()
        gate.wait()
    }
}
