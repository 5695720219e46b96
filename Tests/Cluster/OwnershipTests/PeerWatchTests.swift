import EventLog
import Ownership
import Testing

/// What a node makes of the beats that its readings show.
@Suite struct PeerWatchTests {
    private static let lease = Duration.seconds(10)

    private let terms = LeaseTerms(length: lease)
    private let peer = NodeID(rawValue: "peer")

    private func status(beat: Int64, incarnation: Int64 = 1, lease: Duration = lease) -> NodeStatus {
        NodeStatus(
            record: NodeRecord(id: self.peer, incarnation: Incarnation(rawValue: incarnation)),
            liveEpoch: LiveEpoch(rawValue: incarnation), beat: beat, lease: lease, life: .live)
    }

    /// Readings a second apart, each of which takes no time.
    private func watch(
        _ watch: inout PeerWatch, seconds: ClosedRange<Int>, _ status: (Int) -> NodeStatus
    ) {
        for second in seconds { watch.observe([status(second)], askedAt: .seconds(second), at: .seconds(second)) }
    }

    // MARK: Silence

    @Test("silence counts from the arrival of the first reading that showed the beat")
    func countsFromTheFirstArrival() {
        // given
        var watch = PeerWatch(terms: self.terms)
        watch.observe([self.status(beat: 1)], askedAt: .milliseconds(99_500), at: .seconds(100))
        // when
        self.watch(&watch, seconds: 100...110) { _ in self.status(beat: 1) }
        // then
        #expect(watch.end(of: self.peer) == .seconds(110))
        #expect(!watch.isSilent(self.peer, at: .milliseconds(109_999)))
        #expect(watch.isSilent(self.peer, at: .seconds(110)))
    }

    @Test("a changed beat starts the silence anew")
    func aBeatStartsAnew() {
        // given
        var watch = PeerWatch(terms: self.terms)
        self.watch(&watch, seconds: 100...109) { _ in self.status(beat: 1) }
        // when
        watch.observe([self.status(beat: 2)], askedAt: .seconds(110), at: .seconds(110))
        // then
        #expect(watch.end(of: self.peer) == .seconds(120))
        #expect(!watch.isSilent(self.peer, at: .seconds(110)))
    }

    @Test("readings that follow each other just closely enough leave the silence unbroken")
    func theLongestGapIsAllowed() {
        // given
        var watch = PeerWatch(terms: self.terms)
        watch.observe([self.status(beat: 1)], askedAt: .seconds(100), at: .seconds(100))
        // when
        watch.observe(
            [self.status(beat: 1)], askedAt: .seconds(100), at: .seconds(100) + self.terms.longestReadingGap)
        // then
        #expect(watch.end(of: self.peer) == .seconds(110))
    }

    @Test("a longer gap starts anew, from when the last reading was asked for to when the next arrives")
    func aGapStartsAnew() {
        // given: it arrived so late that the next follows closely on its arrival
        var watch = PeerWatch(terms: self.terms)
        watch.observe([self.status(beat: 1)], askedAt: .seconds(100), at: .milliseconds(100_900))
        // when
        let late = .seconds(100) + self.terms.longestReadingGap + .milliseconds(1)
        watch.observe([self.status(beat: 1)], askedAt: .milliseconds(100_950), at: late)
        // then
        #expect(watch.end(of: self.peer) == late + Self.lease)
    }

    @Test("a new run starts anew, though its beats may be numbered alike")
    func aNewRunStartsAnew() {
        // given
        var watch = PeerWatch(terms: self.terms)
        self.watch(&watch, seconds: 100...105) { _ in self.status(beat: 1) }
        // when
        watch.observe([self.status(beat: 1, incarnation: 2)], askedAt: .seconds(106), at: .seconds(106))
        // then
        #expect(watch.end(of: self.peer) == .seconds(116))
    }

    @Test("a node is silent only after it has been watched for its lease")
    func isSeenFirst() {
        // given: others have been watched for long
        var watch = PeerWatch(terms: self.terms)
        for second in 0...100 { watch.observe([], askedAt: .seconds(second), at: .seconds(second)) }
        #expect(watch.end(of: self.peer) == nil)
        #expect(!watch.isSilent(self.peer, at: .seconds(100)))
        // when
        watch.observe([self.status(beat: 7)], askedAt: .seconds(101), at: .seconds(101))
        // then
        #expect(watch.end(of: self.peer) == .seconds(111))
    }

    @Test("a node that no reading shows any more is as if it had never been seen")
    func isForgotten() {
        // given
        var watch = PeerWatch(terms: self.terms)
        self.watch(&watch, seconds: 100...105) { _ in self.status(beat: 1) }
        // when
        watch.observe([], askedAt: .seconds(106), at: .seconds(106))
        // then
        #expect(watch.end(of: self.peer) == nil)
        #expect(!watch.isSteady(self.peer, at: .seconds(1_000)))
    }

    @Test("the lease in the node's own row counts, shorter or longer than one's own", arguments: [3, 30])
    func theRowsLeaseCounts(_ seconds: Int) {
        // given
        var watch = PeerWatch(terms: self.terms)
        // when
        self.watch(&watch, seconds: 100...140) { _ in self.status(beat: 1, lease: .seconds(seconds)) }
        // then
        #expect(watch.end(of: self.peer) == .seconds(100 + seconds))
        #expect(!watch.isSilent(self.peer, at: .seconds(99 + seconds)))
        #expect(watch.isSilent(self.peer, at: .seconds(100 + seconds)))
    }

    // MARK: Flapping

    /// One run after another, each seen first at its second.
    private func watched(startingAt seconds: [Int]) -> PeerWatch {
        var watch = PeerWatch(terms: self.terms)
        for (number, second) in seconds.enumerated() {
            watch.observe(
                [self.status(beat: 1, incarnation: Int64(number))], askedAt: .seconds(second), at: .seconds(second))
        }
        return watch
    }

    @Test("a node is steady once it has been seen for the settling time")
    func settles() {
        // given
        let watch = self.watched(startingAt: [0])
        // then
        #expect(!watch.isSteady(self.peer, at: self.terms.settling - .milliseconds(1)))
        #expect(watch.isSteady(self.peer, at: self.terms.settling))
        #expect(!watch.isSteady(NodeID(rawValue: "stranger"), at: self.terms.settling))
    }

    @Test("each restart within ten minutes doubles the settling time", arguments: 1...6)
    func doubles(_ restarts: Int) {
        // given
        let watch = self.watched(startingAt: Array(0...restarts))
        // then
        let end = .seconds(restarts) + self.terms.settling * (1 << restarts)
        #expect(!watch.isSteady(self.peer, at: end - .milliseconds(1)))
        #expect(watch.isSteady(self.peer, at: end))
    }

    @Test("however often a node restarts, it settles at last")
    func doublesNotForEver() {
        // given
        let watch = self.watched(startingAt: Array(0...40))
        // then
        #expect(watch.isSteady(self.peer, at: .seconds(40) + self.terms.settling * 64))
    }

    @Test("restarts of more than ten minutes ago are forgotten")
    func forgets() {
        // given: the first start is ten minutes before the last, the second a second less
        let watch = self.watched(startingAt: [0, 1, 600])
        // then
        #expect(!watch.isSteady(self.peer, at: .seconds(600) + self.terms.settling * 2 - .milliseconds(1)))
        #expect(watch.isSteady(self.peer, at: .seconds(600) + self.terms.settling * 2))
    }
}
