import AppStore
import Testing
import Waiting

@Suite struct TokenBucketTests {
    private static func seconds(_ seconds: Double) -> Duration { .milliseconds(Int64((seconds * 1_000).rounded())) }

    /// A bucket that can be asked inside of `#expect`.
    private final class Bucket {
        private var bucket: TokenBucket

        init(rate: Double, at now: Duration) { self.bucket = TokenBucket(rate: rate, at: now) }

        func setRate(_ rate: Double, at now: Duration) { self.bucket.setRate(rate, at: now) }

        func join(_ ticket: TokenBucket.Ticket, _ urgency: RequestUrgency, at now: Duration) -> TokenBucket.Turn {
            self.bucket.join(ticket, urgency, at: now)
        }

        func ask(_ ticket: TokenBucket.Ticket, at now: Duration) -> TokenBucket.Turn {
            self.bucket.ask(ticket, at: now)
        }

        func leave(_ ticket: TokenBucket.Ticket) { self.bucket.leave(ticket) }

        func close(until end: Duration, at now: Duration) { self.bucket.close(until: end, at: now) }

        func remaining(at now: Duration) -> Double { self.bucket.remaining(at: now) }
    }

    /// How many of `urgency` get through when there is always one more, asked for every 10 ms.
    private struct Crowd {
        let bucket: Bucket
        private var lastTicket: TokenBucket.Ticket = 0
        private var heads: [RequestUrgency: TokenBucket.Ticket] = [:]
        private(set) var through: [RequestUrgency: Int] = [:]

        init(rate: Double) { self.bucket = Bucket(rate: rate, at: .zero) }

        mutating func run(_ urgencies: [RequestUrgency], from start: Double, to end: Double) {
            for step in Int(start * 100)..<Int(end * 100) {
                let now = Duration.milliseconds(10 * step)
                for urgency in urgencies {
                    while self.isNextGranted(urgency, at: now) { self.through[urgency, default: 0] += 1 }
                }
            }
            for ticket in self.heads.values { self.bucket.leave(ticket) }
            self.heads = [:]
        }

        mutating func reset() { self.through = [:] }

        private mutating func isNextGranted(_ urgency: RequestUrgency, at now: Duration) -> Bool {
            let turn: TokenBucket.Turn
            if let head = self.heads[urgency] {
                turn = self.bucket.ask(head, at: now)
            } else {
                self.lastTicket += 1
                self.heads[urgency] = self.lastTicket
                turn = self.bucket.join(self.lastTicket, urgency, at: now)
            }
            guard turn == .granted else { return false }
            self.heads[urgency] = nil
            return true
        }
    }

    @Test func takesABurstAndThenKeepsToItsRate() {
        var crowd = Crowd(rate: 10)
        crowd.run([.urgent], from: 0, to: 0.01)
        // Two seconds' worth, less the quarter kept for sweeps.
        #expect(crowd.through[.urgent] == 15)
        crowd.reset()
        crowd.run([.urgent], from: 0.01, to: 60.01)
        // Sweeps' quarter fills first, and then everything is there for those who ask.
        #expect((595...600).contains(crowd.through[.urgent] ?? 0))
    }

    @Test(arguments: [RequestUrgency.urgent, .sweep]) func aloneEitherUsesAll(_ urgency: RequestUrgency) {
        var crowd = Crowd(rate: 4)
        crowd.run([urgency], from: 0, to: 1_000)
        #expect((4_000...4_008).contains(crowd.through[urgency] ?? 0))
    }

    @Test func togetherUrgentComesFirstAndSweepsKeepAQuarter() {
        var crowd = Crowd(rate: 8)
        crowd.run([.sweep, .urgent], from: 0, to: 10)
        crowd.reset()
        crowd.run([.sweep, .urgent], from: 10, to: 1_010)
        let urgent = crowd.through[.urgent] ?? 0, sweep = crowd.through[.sweep] ?? 0
        #expect((7_990...8_010).contains(urgent + sweep))
        // Now and then nobody in a hurry waits while a fraction of a token is there.
        #expect((1_990...2_200).contains(sweep), "\(sweep)")
    }

    @Test func aSweepLeavesSomethingForWhoeverIsInAHurry() {
        var crowd = Crowd(rate: 10)
        crowd.run([.sweep], from: 0, to: 100)
        crowd.reset()
        crowd.run([.urgent], from: 100, to: 100.01)
        #expect(crowd.through[.urgent] == 5)
    }

    @Test func aSmallRateStillServesBoth() {
        var crowd = Crowd(rate: 0.05)
        crowd.run([.urgent, .sweep], from: 0, to: 4_000)
        #expect((150...160).contains(crowd.through[.urgent] ?? 0))
        #expect((50...55).contains(crowd.through[.sweep] ?? 0))
    }

    @Test func firstComeFirstServed() {
        let bucket = Bucket(rate: 1, at: .zero)
        for ticket: UInt64 in 1...3 { #expect(bucket.join(ticket, .urgent, at: .zero) == .granted) }
        #expect(bucket.join(4, .urgent, at: .zero) != .granted)
        #expect(bucket.join(5, .urgent, at: .zero) != .granted)
        // The later one asks first, and the token is not for it.
        let later = Self.seconds(1.5)
        #expect(bucket.ask(5, at: later) != .granted)
        #expect(bucket.ask(4, at: later) == .granted)
        #expect(bucket.ask(5, at: Self.seconds(3)) == .granted)
    }

    @Test func saysHowLongToWaitAtLeast() {
        let bucket = Bucket(rate: 1, at: .zero)
        for ticket: UInt64 in 1...3 { _ = bucket.join(ticket, .urgent, at: .zero) }
        #expect(bucket.join(4, .urgent, at: .zero) == .wait(.seconds(1)))
        #expect(bucket.join(5, .urgent, at: .zero) == .wait(.seconds(2)))
    }

    @Test func whoeverGivesUpHoldsNobodyUp() {
        let bucket = Bucket(rate: 1, at: .zero)
        for ticket: UInt64 in 1...3 { _ = bucket.join(ticket, .urgent, at: .zero) }
        _ = bucket.join(4, .urgent, at: .zero)
        _ = bucket.join(5, .urgent, at: .zero)
        _ = bucket.join(6, .urgent, at: .zero)
        bucket.leave(4)
        // 5 is given the token, and gives up before it hears of it.
        _ = bucket.ask(6, at: Self.seconds(1.5))
        bucket.leave(5)
        #expect(bucket.ask(6, at: Self.seconds(1.5)) == .granted)
    }

    @Test func closedNothingGoesOutAndThenNoBurst() {
        let bucket = Bucket(rate: 10, at: .zero)
        #expect(bucket.join(1, .urgent, at: .zero) == .granted)
        bucket.close(until: .seconds(60), at: .zero)
        #expect(bucket.remaining(at: .zero) == 0)
        guard case .wait(let wait) = bucket.join(2, .urgent, at: .seconds(1)) else {
            Issue.record("was let through")
            return
        }
        #expect((Self.seconds(59.09)...Self.seconds(59.11)).contains(wait))
        #expect(bucket.ask(2, at: Self.seconds(59.99)) != .granted)
        #expect(bucket.remaining(at: .seconds(60)) == 0)
        #expect(bucket.ask(2, at: Self.seconds(60.2)) == .granted)
        // An earlier end does not open it.
        bucket.close(until: .seconds(100), at: .seconds(61))
        bucket.close(until: .seconds(70), at: .seconds(61))
        #expect(bucket.join(3, .sweep, at: .seconds(99)) != .granted)
    }

    @Test func aTokenGivenBackWhileClosedWaits() {
        let bucket = Bucket(rate: 1, at: .zero)
        for ticket: UInt64 in 1...3 { _ = bucket.join(ticket, .urgent, at: .zero) }
        _ = bucket.join(4, .urgent, at: .zero)
        _ = bucket.join(5, .urgent, at: .zero)
        _ = bucket.ask(5, at: Self.seconds(1.5))
        bucket.close(until: .seconds(60), at: .seconds(2))
        bucket.leave(4)
        #expect(bucket.ask(5, at: .seconds(3)) != .granted)
        #expect(bucket.ask(5, at: .seconds(60)) == .granted)
    }

    @Test func aNewRateHoldsFromNowOn() {
        var crowd = Crowd(rate: 40)
        crowd.run([.urgent], from: 0, to: 10)
        crowd.bucket.setRate(4, at: .seconds(10))
        #expect(crowd.bucket.remaining(at: .seconds(10)) <= 8)
        crowd.run([.urgent], from: 10, to: 12)
        crowd.reset()
        crowd.run([.urgent], from: 12, to: 112)
        #expect((395...402).contains(crowd.through[.urgent] ?? 0))
    }

    @Test func timeThatStandsStillOrGoesBackGivesNothing() {
        let bucket = Bucket(rate: 10, at: .seconds(10))
        let before = bucket.remaining(at: .seconds(10))
        #expect(bucket.remaining(at: .seconds(5)) == before)
        #expect(bucket.remaining(at: .seconds(1_000_000)) == 20)
    }
}
