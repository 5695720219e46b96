import AppStore
import PerennialTestSupport
import Reconciliation
import SubscriptionService
import Subscriptions
import Synchronization
import Testing

/// Long stretches of Apple's history are read in windows, several of them side by side.
@Suite(.timeLimit(.minutes(10))) struct HistoryWindowTests {
    /// More windows are read side by side than requests may be under way.
    private static let width = ServerAPIConfiguration().concurrency
    private static let nothing = ScriptedApple.json(#"{"notificationHistory":[],"hasMore":false}"#)

    /// Requests that are under way: none is answered before as many are as should be, or that takes too long.
    private final class Crowd: Sendable {
        private struct Counts {
            var inside = 0
            var most = 0
            var isPatient = true
        }

        private static let patience = 60_000

        private let counts = Mutex(Counts())

        var most: Int { self.counts.withLock { $0.most } }

        func pass() async {
            self.counts.withLock { counts in
                counts.inside += 1
                counts.most = max(counts.most, counts.inside)
            }
            var polls = 0
            while self.isGathering {
                try? await Task.sleep(for: .milliseconds(1))
                polls += 1
                if polls == Self.patience { self.counts.withLock { $0.isPatient = false } }
            }
            self.counts.withLock { $0.inside -= 1 }
        }

        private var isGathering: Bool {
            self.counts.withLock { $0.isPatient && $0.most < HistoryWindowTests.width }
        }
    }

    private func node(_ crowd: Crowd) throws -> Node {
        let apple = ScriptedApple { request in
            let body = String(decoding: request.body ?? [], as: UTF8.self)
            guard request.path.contains("/notifications/history"), !body.contains("\"onlyFailures\":true") else {
                return Self.nothing
            }
            await crowd.pass()
            return Self.nothing
        }
        return try Node().asking(apple)
    }

    @Test func windowsOfAGapAreReadSideBySide() async throws {
        // given: a node that was there, and then was not for three days
        let crowd = Crowd()
        let node = try self.node(crowd)
        try await node.run { service in await eventually { service.isCovered } }
        #expect(crowd.most == 0)
        node.clock.advance(to: node.clock.now + .days(3))
        // when
        try await node.run { service in await eventually { service.isCovered } }
        // then
        #expect(crowd.most == Self.width)
    }

    @Test func windowsOfABackfillAreReadSideBySide() async throws {
        // given
        let crowd = Crowd()
        let node = try self.node(crowd)
        try await node.run { service in
            await eventually { service.isCovered }
            // when
            let job = try service.startBackfill(nil, from: Node.start - .days(4), to: Node.start - .days(1))
            await eventually { (try? service.job(job.id).state) == .done }
        }
        // then
        #expect(crowd.most == Self.width)
    }
}
