import Ingestion
import Testing

@Suite struct RefusalNoticeTests {
    private let start = ContinuousClock.now

    @Test("refusals are told once, until something is accepted and then nothing for an hour")
    func tellsOnce() {
        var notice = RefusalNotice()
        var told = [0, 86_400].map { notice.recordRefusal(at: self.start + .seconds($0)) }
        #expect(told == [true, false])
        // A forgery among others, and then nothing but refusals.
        notice.recordAcceptance(at: self.start + .seconds(90_000))
        told = [0, 3_599, 3_600, 9_999].map { notice.recordRefusal(at: self.start + .seconds(90_000 + $0)) }
        #expect(told == [false, false, true, false])
    }
}
