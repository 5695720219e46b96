import Subscriptions
import Testing

/// The time that a question about the past takes grows with the log, not with its square: no step looks at all periods for
/// each of them.
@Suite struct LongHistoryTests {
    @Test("20,000 events are answered from", .timeLimit(.minutes(5)))
    func long() throws {
        var customer = Customer(period: .days(7))
        var bundles = [customer.subscribe()]
        while bundles.count < 20_000 { bundles += [customer.renew(), customer.setAutoRenew(true)] }
        let history = StreamHistory(bundles)
        for index in [1, 5_000, 9_000] {
            let moment = customer.transactions[index].purchaseDate! + .days(1)
            let snapshot = try #require(history.snapshot(at: moment, rules: DerivationRules()))
            #expect(snapshot.transactionID == customer.transactions[index].transactionID)
            #expect(snapshot.state == .subscribed)
            #expect(snapshot.validUntil == customer.end + .hours(2))
        }
    }
}
