import Subscriptions
import Testing

/// When Apple has to be asked.
@Suite struct DoubtTests {
    private static let month = transaction(100, from: 0, to: 30)

    private func doubt(_ bundles: [FactBundle], at moment: Moment) -> Doubt? {
        Outlook(StreamState(.subscription, bundles), rules: DerivationRules())?.doubt(at: moment)
    }

    @Test func whoIsPaidForIsNotDoubted() {
        let facts = [bundle(.notification, [Self.month], renewal(signed: 0))]
        #expect(self.doubt(facts, at: day(1)) == nil)
        #expect(self.doubt(facts, at: just(before: day(30))) == nil)
    }

    @Test func aRenewalThatIsNotHeardOfIsDoubtedBeforeAndAfterTheLeeway() {
        let facts = [bundle(.notification, [Self.month], renewal(signed: 0))]
        #expect(self.doubt(facts, at: day(30)) == .awaitingRenewal)
        #expect(self.doubt(facts, at: just(before: day(30) + leeway)) == .awaitingRenewal)
        #expect(self.doubt(facts, at: day(30) + leeway) == .unheard)
        #expect(self.doubt(facts, at: day(300)) == .unheard)
    }

    @Test func whoLeftByChoiceIsNotDoubted() {
        let facts = [bundle(.notification, [Self.month], renewal(signed: 0, autoRenew: false))]
        #expect(self.doubt(facts, at: day(30)) == nil)
        #expect(self.doubt(facts, at: day(300)) == nil)
    }

    @Test func applesWordEndsTheDoubt() {
        let facts = [
            bundle(.notification, [Self.month], renewal(signed: 0)),
            bundle(.notification, [Self.month], renewal(signed: 31), status(2, asOf: 31)),
        ]
        #expect(self.doubt(facts, at: day(31)) == nil)
        #expect(self.doubt(facts, at: day(300)) == nil)
    }

    @Test func aStatusGivenAfterItsBoundIsAskedAboutForAsLongAsItHolds() {
        func facts(_ number: Int64, asOf: Double) -> [FactBundle] {
            [bundle(.notification, [Self.month], renewal(signed: asOf), status(number, asOf: asOf))]
        }
        #expect(self.doubt(facts(4, asOf: 34), at: day(34)) == .incomplete)
        #expect(self.doubt(facts(3, asOf: 91), at: just(before: day(92))) == .incomplete)
        #expect(self.doubt(facts(1, asOf: 31), at: day(31)) == .awaitingRenewal)
        #expect(self.doubt(facts(4, asOf: 34), at: day(35)) == .unheard)
        #expect(self.doubt(facts(4, asOf: 32), at: day(32)) == nil)
    }

    @Test func anEndRestsOnTimeAloneUntilAppleTellsOfIt() {
        func hasEndedByTimeAlone(_ facts: [FactBundle]) -> Bool? {
            Outlook(StreamState(.subscription, facts), rules: DerivationRules())?.hasEndedByTimeAlone(at: day(31))
        }
        // given
        let left = bundle(.notification, [Self.month], renewal(signed: 0, autoRenew: false))
        let expired = bundle(.notification, [Self.month], renewal(signed: 30), status(2, asOf: 30))
        let revoked = transaction(100, from: 0, to: 30, signed: 5) { $0.revocationDate = day(4) }
        // then
        #expect(hasEndedByTimeAlone([left]) == true)
        #expect(hasEndedByTimeAlone([left, expired]) == false)
        #expect(hasEndedByTimeAlone([left, bundle(.notification, [revoked])]) == false)
        #expect(hasEndedByTimeAlone([left, bundle(.notification, [transaction(101, from: 30, to: 60)])]) == false)
    }

    @Test func anEndByTimeIsRecentForAWhile() {
        func isRecent(_ facts: [FactBundle], at moment: Moment) -> Bool? {
            Outlook(StreamState(.subscription, facts), rules: DerivationRules())?
                .hasEndedByTimeAlone(within: .days(2), before: moment)
        }
        // given
        let left = bundle(.notification, [Self.month], renewal(signed: 0, autoRenew: false))
        let expired = bundle(.notification, [Self.month], renewal(signed: 30), status(2, asOf: 30))
        // then
        #expect(isRecent([left], at: just(before: day(30))) == false)
        #expect(isRecent([left], at: day(30)) == true)
        #expect(isRecent([left], at: just(before: day(32))) == true)
        #expect(isRecent([left], at: day(32)) == false)
        #expect(isRecent([left, expired], at: day(31)) == false)
    }

    @Test func whatOnlyAClientHasSaidAboutAnEndIsDoubted() {
        // given: Apple had told of a running period, and a client brings the same one revoked
        let facts = [
            bundle(.notification, [Self.month], renewal(signed: 0)),
            bundle(.client, [transaction(100, from: 0, to: 30, signed: 5) { $0.revocationDate = day(4) }]),
        ]
        #expect(self.doubt(facts, at: day(6)) == .incomplete)
    }

    @Test func purchasesAreNotDoubted() {
        let key = StreamKey(
            kind: .purchase, id: "100", environment: .production, bundleID: StreamKey.subscription.bundleID)
        let state = StreamState(key, [bundle(.notification, [transaction(100, from: 0, to: 30)])])
        #expect(Outlook(state, rules: DerivationRules())?.doubt(at: day(300)) == nil)
    }
}
