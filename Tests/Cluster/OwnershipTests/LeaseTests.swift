import Ownership
import Testing

/// What a node may answer by the beats that the store has acknowledged.
@Suite struct LeaseTests {
    private let terms = LeaseTerms(length: .seconds(10))
    private let tick = Duration.milliseconds(1)

    @Test("nothing may be answered before the first acknowledgement")
    func isNotHeldAtFirst() {
        // given
        let lease = Lease(terms: self.terms)
        // then
        #expect(!lease.allowsAnswer(at: .zero))
        #expect(lease.remaining(at: .zero) == .zero)
        #expect(!lease.isLost)
    }

    @Test("a lease counts from the sending of the beat, however late its acknowledgement arrives")
    func countsFromTheSending() {
        // given
        var lease = Lease(terms: self.terms)
        // when
        lease.renew(sentAt: .seconds(100))
        // then
        let end = .seconds(100) + self.terms.reads
        #expect(lease.allowsAnswer(at: .seconds(100)))
        #expect(lease.allowsAnswer(at: end - self.tick))
        #expect(lease.remaining(at: end - self.tick) == self.tick)
    }

    @Test("exactly at its end nothing may be answered, nor after it")
    func endsExactly() {
        // given
        var lease = Lease(terms: self.terms)
        // when
        lease.renew(sentAt: .seconds(100))
        // then
        let end = .seconds(100) + self.terms.reads
        #expect(!lease.allowsAnswer(at: end))
        #expect(!lease.allowsAnswer(at: end + self.tick))
        #expect(lease.remaining(at: end + self.tick) == .zero - self.tick)
    }

    @Test("an older beat that is acknowledged late shortens nothing")
    func keepsTheLatestEnd() {
        // given
        var lease = Lease(terms: self.terms)
        lease.renew(sentAt: .seconds(102))
        // when
        lease.renew(sentAt: .seconds(101))
        // then
        #expect(lease.remaining(at: .seconds(102)) == self.terms.reads)
    }

    @Test("a newer beat prolongs it, even after it was over")
    func isProlonged() {
        // given
        var lease = Lease(terms: self.terms)
        lease.renew(sentAt: .seconds(100))
        // when
        lease.renew(sentAt: .seconds(200))
        // then
        #expect(lease.remaining(at: .seconds(200)) == self.terms.reads)
    }

    @Test("what is lost stays lost, whatever is acknowledged afterwards")
    func isLostForGood() {
        // given
        var lease = Lease(terms: self.terms)
        lease.renew(sentAt: .seconds(100))
        // when
        lease.lose()
        // then
        #expect(lease.isLost)
        #expect(!lease.allowsAnswer(at: .seconds(100)))
        // when
        lease.renew(sentAt: .seconds(101))
        // then
        #expect(lease.isLost)
        #expect(!lease.allowsAnswer(at: .seconds(101)))
    }

    @Test(
        "a clock that is slower by a twentieth still ends its lease before others take over",
        arguments: [3, 4, 10, 60, 600])
    func leavesRoomForDrift(_ seconds: Int) {
        // given
        let terms = LeaseTerms(length: .seconds(seconds))
        // then
        #expect(terms.reads / 0.95 < terms.length)
        #expect(terms.reads > terms.beatInterval)
    }
}
