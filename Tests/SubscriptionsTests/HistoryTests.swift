import Subscriptions
import Testing

/// `at=` and `knownAt=`.
@Suite struct HistoryTests {
    private let rules = DerivationRules()

    @Test("before the first fact there is no state; at the first there is")
    func begins() {
        let history = StreamHistory([bundle(.notification, [RuleTests.month], renewal(signed: 0), status(1, asOf: 0))])
        #expect(history.snapshot(at: just(before: day(0)), rules: self.rules) == nil)
        #expect(history.snapshot(at: day(0), rules: self.rules)?.state == .subscribed)
        #expect(StreamHistory([]).snapshot(at: day(0), rules: self.rules) == nil)
    }

    @Test("a renewal signed ahead counts from its signature")
    func signedAhead() {
        let history = StreamHistory([bundle(.notification, [transaction(101, from: 1, to: 31, signed: 0.5)])])
        #expect(history.snapshot(at: just(before: day(0.5)), rules: self.rules) == nil)
        #expect(history.snapshot(at: day(0.5), rules: self.rules)?.state == .subscribed)
    }

    @Test("the past is told by every period of the log, not by the kept four")
    func wholeLog() {
        var customer = Customer()
        let bundles = [customer.subscribe("basic.monthly")] + (0..<8).map { _ in customer.renew() }
        let history = StreamHistory(bundles)
        for (index, transaction) in customer.transactions.enumerated() {
            let snapshot = history.snapshot(at: transaction.purchaseDate! + .days(3), rules: self.rules)
            #expect(snapshot?.transactionID == customer.transactions[index].transactionID)
        }
        #expect(StreamState(.subscription, bundles).facts.periods.count == 4)
    }

    @Test("at= uses what is known now, knownAt= what had been recorded then")
    func lateRefund() {
        let refund = transaction(100, from: 0, to: 30, signed: 9) { $0.revocationDate = day(8) }
        let history = StreamHistory(
            key: .subscription,
            events: [
                (day(0), SubscriptionEvent(bundle(.notification, [RuleTests.month]))),
                (day(12), SubscriptionEvent(bundle(.notification, [refund]))),
            ])
        #expect(history.snapshot(at: day(10), rules: self.rules)?.state == .revoked)
        #expect(history.snapshot(at: day(10), rules: self.rules)?.revocation?.date == day(8))
        #expect(history.snapshot(at: day(7), rules: self.rules)?.revocation == nil, "it had not happened")
        #expect(history.snapshot(at: day(10), knownAt: day(10), rules: self.rules)?.state == .subscribed)
        #expect(history.snapshot(at: day(10), knownAt: day(12), rules: self.rules)?.state == .revoked)
        #expect(history.snapshot(at: day(10), knownAt: just(before: day(0)), rules: self.rules) == nil)
    }

    @Test("the renewal info is the one of then")
    func renewalOfThen() {
        let history = StreamHistory([
            bundle(.notification, [RuleTests.month], renewal(signed: 0)),
            bundle(.notification, [RuleTests.month], renewal(signed: 10, autoRenew: false)),
        ])
        #expect(history.snapshot(at: just(before: day(10)), rules: self.rules)?.autoRenew == true)
        #expect(history.snapshot(at: day(10), rules: self.rules)?.autoRenew == false)
    }
}
