import Foundation
import Synchronization
import Testing
import ZeroMQ

@Suite(.timeLimit(.minutes(10))) struct ReactorTests {
    private final class Mailbox: Sendable {
        struct State {
            var sent = 0
            var seen = 0
            var isOver = false
        }

        let state = Mutex(State())
    }

    /// Sees what was sent, and never looks without being told to.
    private struct Reader: ReactorProgram, ~Copyable {
        let mailbox: Mailbox

        func prepare(_ poller: inout Poller) -> ContinuousClock.Instant? { nil }

        func turn(_ poller: borrowing Poller) -> Bool {
            self.mailbox.state.withLock { state in
                state.seen = state.sent
                return !state.isOver
            }
        }
    }

    /// A ring that was lost would leave the reader asleep for good.
    @Test func noRingIsLost() async throws {
        // given
        let reactor = try Reactor()
        let mailbox = Mailbox()
        async let running: Void = reactor.run { () throws(ZeroMQError) in Reader(mailbox: mailbox) }
        // when
        await withTaskGroup(of: Void.self) { group in
            for sender in 0..<2 as Range<UInt64> {
                group.addTask {
                    for round in 0..<20_000 as Range<UInt64> {
                        let number = mailbox.state.withLock { state in
                            state.sent += 1
                            return state.sent
                        }
                        reactor.wakeUp.ring()
                        // Sometimes a burst, sometimes one that has to wake a reader which has just gone to sleep.
                        guard (round &* 2_654_435_761 &+ sender) >> 3 & 3 == 0 else { continue }
                        while mailbox.state.withLock({ $0.seen }) < number { await Task.yield() }
                    }
                }
            }
        }
        // then
        mailbox.state.withLock { $0.isOver = true }
        reactor.wakeUp.ring()
        try await running
        #expect(mailbox.state.withLock { $0.sent } == 40_000)
        #expect(mailbox.state.withLock { $0.seen } == 40_000)
    }

    @Test func sleepsUntilItIsRung() async throws {
        // given
        let reactor = try Reactor()
        let mailbox = Mailbox()
        async let running: Void = reactor.run { () throws(ZeroMQError) in Reader(mailbox: mailbox) }
        // when
        try await Task.sleep(for: .milliseconds(500))
        // then
        #expect(reactor.turnCount == 0)
        mailbox.state.withLock { $0.isOver = true }
        for _ in 0..<100 { reactor.wakeUp.ring() }
        try await running
        #expect((1...2).contains(reactor.turnCount))
    }

    /// Counts its turns, each a little later than the one before.
    private struct Clock: ReactorProgram, ~Copyable {
        var deadline = ContinuousClock.now
        var turns = 0

        mutating func prepare(_ poller: inout Poller) -> ContinuousClock.Instant? {
            self.deadline = .now + .milliseconds(3)
            return self.deadline
        }

        mutating func turn(_ poller: borrowing Poller) -> Bool {
            #expect(.now >= self.deadline)
            self.turns += 1
            return self.turns < 10
        }
    }

    @Test func neverTurnsBeforeTheDeadline() async throws {
        let reactor = try Reactor()
        try await reactor.run { () throws(ZeroMQError) in Clock() }
        #expect(reactor.turnCount == 10)
    }

    @Test func tellsWhatItsProgramThrew() async throws {
        let reactor = try Reactor()
        let error = await #expect(throws: ZeroMQError.self) {
            try await reactor.run { () throws(ZeroMQError) -> Reader in
                _ = try Socket(.router, in: Context()).bind("nonsense")
                return Reader(mailbox: Mailbox())
            }
        }
        #expect(error?.message.contains("nonsense") == true)
    }
}
