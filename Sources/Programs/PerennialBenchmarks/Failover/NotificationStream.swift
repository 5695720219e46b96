import Foundation
import NIOCore
import Synchronization

/// Notifications that never stop coming: each is sent until it is acknowledged, and then the next one.
final class NotificationStream: Sendable {
    struct Delivery: Sendable {
        let sent: ContinuousClock.Instant
        var acknowledged: ContinuousClock.Instant
        /// Answers other than 200.
        var refusals = 0
    }

    private static let lanes = 8
    /// In seconds, of each lane.
    private static let pause = 0.2

    private let requests: [[UInt8]]
    private let sender: BalancedSender
    private let state = Mutex(State())

    private struct State {
        var next = 0
        var deliveries: [Delivery] = []
        /// By number: since when it has been sent.
        var outstanding: [Int: ContinuousClock.Instant] = [:]
        var isOver = false
    }

    /// - Parameter requests: sent round and round; from the second time on they are repetitions.
    init(_ requests: [ByteBuffer], by sender: BalancedSender) {
        self.requests = requests.map { Array(buffer: $0) }
        self.sender = sender
    }

    /// Sends for as long as `body` takes.
    func run<Result: Sendable>(_ body: @Sendable () async throws -> Result) async throws -> Result {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<Self.lanes { group.addTask { try await Supplies.onItsOwnThread { self.sendUntilOver() } } }
            defer { self.state.withLock { $0.isOver = true } }
            return try await body()
        }
    }

    /// Of all that was acknowledged since `moment`.
    func deliveries(since moment: ContinuousClock.Instant) -> [Delivery] {
        self.state.withLock { $0.deliveries.filter { $0.acknowledged >= moment } }
    }

    /// Returns when all that was sent before `moment` has been acknowledged.
    func untilAcknowledged(before moment: ContinuousClock.Instant) async throws {
        try await Patience.until("the acknowledgements") {
            self.state.withLock { state in !state.outstanding.values.contains { $0 < moment } }
        }
    }

    /// How many different ones have been acknowledged.
    var distinctCount: Int { self.state.withLock { min($0.next, self.requests.count) } }

    private func sendUntilOver() {
        while let number = self.takeNext() {
            var delivery = Delivery(sent: .now, acknowledged: .now)
            self.state.withLock { [delivery] in $0.outstanding[number] = delivery.sent }
            while self.sender.post(self.requests[number % self.requests.count], turn: number) != 200 {
                delivery.refusals += 1
                Thread.sleep(forTimeInterval: 0.01)
            }
            delivery.acknowledged = .now
            self.state.withLock { [delivery] state in
                state.deliveries.append(delivery)
                state.outstanding[number] = nil
            }
            Thread.sleep(forTimeInterval: Self.pause)
        }
    }

    private func takeNext() -> Int? {
        self.state.withLock { state in
            guard !state.isOver else { return nil }
            defer { state.next += 1 }
            return state.next
        }
    }
}
