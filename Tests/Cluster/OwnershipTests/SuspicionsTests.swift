import EventLog
import Ownership
import Testing

/// What refused connections say, and what they say together with the beats.
@Suite struct SuspicionsTests {
    private let terms = LeaseTerms(length: .seconds(60))
    private let peer = NodeID(rawValue: "peer")

    private func run(_ incarnation: Int64 = 1) -> ShardRecord.Owner {
        ShardRecord.Owner(node: self.peer, incarnation: Incarnation(rawValue: incarnation))
    }

    private func status(beat: Int64, incarnation: Int64 = 1) -> NodeStatus {
        NodeStatus(
            record: NodeRecord(id: self.peer, incarnation: Incarnation(rawValue: incarnation)),
            liveEpoch: LiveEpoch(rawValue: 1), beat: beat, lease: .seconds(60), life: .live)
    }

    // MARK: Refusals

    @Test("refusals count from the first of them, as long as none of them is missing")
    func countsFromTheFirst() {
        // given
        var hints = Suspicions()
        #expect(hints.refusedSince(self.run(), at: .zero) == nil)
        // when
        for quarter in 40...48 { hints.noteRefusal(by: self.run(), at: .milliseconds(250 * quarter)) }
        // then
        #expect(hints.refusedSince(self.run(), at: .seconds(12)) == .seconds(10))
        #expect(hints.refusedSince(self.run(), at: .seconds(13)) == .seconds(10))
        #expect(hints.refusedSince(self.run(), at: .milliseconds(13_001)) == nil)
    }

    @Test("an attempt that is not refused, or none for more than a second, starts anew")
    func startsAnew() {
        // given
        var hints = Suspicions()
        hints.noteRefusal(by: self.run(), at: .seconds(10))
        // when
        hints.withdraw(self.run())
        // then
        #expect(hints.refusedSince(self.run(), at: .seconds(10)) == nil)
        // when
        hints.noteRefusal(by: self.run(), at: .seconds(11))
        hints.noteRefusal(by: self.run(), at: .milliseconds(12_001))
        // then
        #expect(hints.refusedSince(self.run(), at: .milliseconds(12_001)) == .milliseconds(12_001))
    }

    @Test("what one run refuses says nothing of another run of the node")
    func areOfOneRun() {
        // given
        var hints = Suspicions()
        // when
        hints.noteRefusal(by: self.run(1), at: .seconds(10))
        // then
        #expect(hints.refusedSince(self.run(2), at: .seconds(10)) == nil)
        // when
        hints.withdraw(self.run(2))
        // then
        #expect(hints.refusedSince(self.run(1), at: .seconds(10)) == .seconds(10))
    }

    // MARK: Beats

    /// Readings four times a second, in milliseconds, each of which takes no time.
    private func watch(
        _ milliseconds: ClosedRange<Int>, refusedFrom first: Int?, _ status: (Int) -> NodeStatus
    ) -> PeerWatch {
        var watch = PeerWatch(terms: self.terms)
        var hints = Suspicions()
        for time in stride(from: milliseconds.lowerBound, through: milliseconds.upperBound, by: 250) {
            if let first, time >= first { hints.noteRefusal(by: self.run(), at: .milliseconds(time)) }
            watch.observe([status(time)], askedAt: .milliseconds(time), at: .milliseconds(time), hints: hints)
        }
        return watch
    }

    @Test("who refuses connections and does not beat is gone after longer than who lives is silent, lease or no lease")
    func isGone() {
        let beats = { (time: Int) in self.status(beat: Int64(min(time, 10_000) / 1_000)) }
        #expect(!self.watch(5_000...11_000, refusedFrom: 9_000, beats).isGone(self.peer))
        let watch = self.watch(5_000...11_250, refusedFrom: 9_000, beats)
        #expect(watch.isGone(self.peer))
        #expect(!watch.isSilent(self.peer, at: .milliseconds(11_250)))
    }

    @Test("refusals have to last for as long, too")
    func refusalsHaveToLast() {
        let status = { (_: Int) in self.status(beat: 1) }
        #expect(!self.watch(5_000...11_000, refusedFrom: 10_000, status).isGone(self.peer))
        #expect(self.watch(5_000...11_250, refusedFrom: 10_000, status).isGone(self.peer))
    }

    @Test("who beats lives, however long it refuses connections")
    func beatsLive() {
        for end in stride(from: 5_000, through: 30_000, by: 250) {
            let watch = self.watch(1_000...end, refusedFrom: 2_000) { self.status(beat: Int64($0 / 1_000)) }
            #expect(!watch.isGone(self.peer))
        }
    }

    @Test("who refuses nothing is not gone, however silent it is, nor is who was never seen")
    func silenceAloneIsNoHint() {
        let watch = self.watch(5_000...30_000, refusedFrom: nil) { _ in self.status(beat: 1) }
        #expect(!watch.isGone(self.peer))
        #expect(!watch.isGone(NodeID(rawValue: "stranger")))
    }

    @Test("the next run of a node is not gone by what the last one refused")
    func theNextRunLives() {
        let watch = self.watch(5_000...30_000, refusedFrom: 5_000) {
            self.status(beat: 1, incarnation: $0 < 9_000 ? 1 : 2)
        }
        #expect(!watch.isGone(self.peer))
    }

    @Test("a reading that takes long shows no more than what was when it was asked for")
    func countsUntilItWasAskedFor() {
        // given
        var watch = PeerWatch(terms: self.terms)
        var hints = Suspicions()
        hints.noteRefusal(by: self.run(), at: .seconds(10))
        watch.observe([self.status(beat: 1)], askedAt: .seconds(10), at: .seconds(10), hints: hints)
        hints.noteRefusal(by: self.run(), at: .seconds(11))
        watch.observe([self.status(beat: 1)], askedAt: .seconds(11), at: .seconds(11), hints: hints)
        // when
        hints.noteRefusal(by: self.run(), at: .milliseconds(11_900))
        watch.observe([self.status(beat: 1)], askedAt: .milliseconds(11_200), at: .milliseconds(11_900), hints: hints)
        // then
        #expect(!watch.isGone(self.peer))
        // when
        watch.observe([self.status(beat: 1)], askedAt: .milliseconds(11_900), at: .milliseconds(11_900), hints: hints)
        // then
        #expect(watch.isGone(self.peer))
    }

    @Test("readings that are too far apart start anew here, too")
    func gapsStartAnew() {
        // given
        var watch = self.watch(5_000...11_000, refusedFrom: 5_000) { _ in self.status(beat: 1) }
        #expect(watch.isGone(self.peer))
        var hints = Suspicions()
        for quarter in 20...49 { hints.noteRefusal(by: self.run(), at: .milliseconds(250 * quarter)) }
        // when
        watch.observe(
            [self.status(beat: 1)], askedAt: .milliseconds(12_200), at: .milliseconds(12_250), hints: hints)
        // then
        #expect(!watch.isGone(self.peer))
    }
}
