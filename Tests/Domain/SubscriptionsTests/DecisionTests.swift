import Subscriptions
import Testing

/// What is recorded of a bundle, and what is only announced.
@Suite struct DecisionTests {
    private let rules = DerivationRules()

    @Test("facts decide; the type only labels")
    func typeIsALabel() {
        var customer = Customer()
        var state = StreamState(.subscription, [customer.subscribe()])
        var odd = customer.upgrade(to: "max.monthly")
        odd.notification?.type = "DID_CHANGE_RENEWAL_PREF"
        odd.notification?.subtype = nil
        #expect(state.receive(odd)[0].kind == .upgraded)
    }

    @Test("each purchase is counted once, whichever bundle brings it first")
    func countsPurchasesOnce() {
        var customer = Customer()
        let bundles = [
            customer.subscribe(), customer.post(), customer.renew(), customer.setAutoRenew(false), customer.poll(),
        ]
        var random = SeededRandom(seed: 7)
        for _ in 0..<50 {
            var state = StreamState(key: .subscription)
            let changes = bundles.shuffledWithRepeats(using: &random).flatMap { state.receive($0) }.flatMap(\.changes)
            #expect(changes.count { $0 == .subscribed } == 1)
            #expect(changes.count { $0 == .renewed } == 1)
        }
    }

    @Test("an old renewal that is heard of late recovers nothing")
    func lateRenewal() {
        let failing = renewal(signed: 90) { $0.isInBillingRetryPeriod = true }
        var state = StreamState(
            .subscription, [bundle(.notification, [RuleTests.month, transaction(102, from: 60, to: 90)], failing)])
        let old = transaction(101, from: 30, to: 60, signed: 95)
        #expect(state.receive(bundle(.history, [old]))[0].changes == [.renewed])
        #expect(state.snapshot(at: day(95), rules: self.rules)?.state == .retry)
        #expect(state.receive(bundle(.history, [transaction(103, from: 95, to: 125)]))[0].changes == [.recovered])
    }

    @Test("a restored copy of a known period is no purchase")
    func restoredCopy() {
        var state = StreamState(.subscription, [bundle(.notification, [RuleTests.month], renewal(signed: 0))])
        let copy = transaction(105, from: 5, to: 30) { $0.webOrderLineItemID = "w100" }
        #expect(state.receive(bundle(.notification, [copy]))[0].changes == [.noted])
    }

    @Test("a scheduled downgrade that takes effect is told with the renewal")
    func productChange() {
        var customer = Customer()
        var state = StreamState(.subscription, [customer.subscribe(), customer.scheduleDowngrade()])
        #expect(state.receive(customer.renew())[0].changes == [.renewed, .productChanged])
    }

    @Test(
        "nobody comes back who never left: a cancelled downgrade may bring a new period",
        arguments: [true, false])
    func cancelledDowngrade(_ isKnown: Bool) {
        // given: the renewal info of before is known, or only what a device has posted
        var customer = Customer()
        let bought = customer.subscribe()
        let scheduled = customer.scheduleDowngrade()
        let posted = bundle(.client, bought.facts.transactions)
        var state = StreamState(.subscription, isKnown ? [bought, scheduled] : [posted])
        // when
        customer.buyAgain()
        let cancelled = customer.cancelDowngrade()
        // then
        #expect(state.receive(cancelled)[0].changes == [.renewed, .downgradeCancelled])
        #expect(state.receive(cancelled)[0].changes == [.noted])
    }

    @Test("nor by a second purchase of a product that runs, or that grace keeps running")
    func secondPurchase() {
        var customer = Customer()
        var state = StreamState(.subscription, [customer.subscribe()])
        customer.buyAgain()
        #expect(state.receive(customer.notify("SUBSCRIBED", "RESUBSCRIBE"))[0].changes == [.renewed])

        var failing = Customer()
        state = StreamState(.subscription, [failing.subscribe(), failing.failToRenew(grace: .days(16))])
        failing.wait(.days(3))
        failing.buyAgain()
        #expect(state.receive(failing.notify("SUBSCRIBED", "RESUBSCRIBE"))[0].kind == .recovered)
    }

    @Test("nor when the first word of a customer is a change of the next renewal")
    func firstWord() {
        var customer = Customer()
        _ = customer.subscribe()
        customer.buyAgain()
        var state = StreamState(key: .subscription)
        #expect(state.receive(customer.cancelDowngrade())[0].changes == [.downgradeCancelled])
        // but who has let it run out does
        var gone = Customer()
        state = StreamState(
            .subscription, [gone.subscribe(), gone.setAutoRenew(false), gone.expire(.customerCancelled)])
        #expect(state.receive(gone.resubscribe())[0].kind == .resubscribed)
    }

    @Test("a downgrade that an upgrade replaces is not told as cancelled, and one that a renewal drops is")
    func droppedDowngrade() {
        var customer = Customer()
        var state = StreamState(.subscription, [customer.subscribe(), customer.scheduleDowngrade()])
        #expect(state.receive(customer.upgrade(to: "max.monthly"))[0].changes == [.upgraded])

        var keeping = Customer()
        state = StreamState(.subscription, [keeping.subscribe(), keeping.scheduleDowngrade()])
        _ = keeping.cancelDowngrade()
        #expect(state.receive(keeping.renew())[0].changes == [.renewed, .downgradeCancelled])
    }

    @Test("the whole of what a first bundle tells, the most important first")
    func severalChanges() {
        var customer = Customer()
        var state = StreamState(key: .subscription)
        _ = customer.subscribe(trial: .days(7))
        #expect(
            state.receive(customer.setAutoRenew(false))[0].changes == [.subscribed, .offerRedeemed, .autoRenewDisabled])
    }

    @Test("what ends access comes before what was paid")
    func endsFirst() {
        var customer = Customer()
        var running = StreamState(.subscription, [customer.subscribe()])
        var unknown = StreamState(key: .subscription)
        _ = customer.renew()
        let refund = customer.refund(1)
        // The refund has overtaken the renewal.
        #expect(running.receive(refund)[0].changes == [.refunded, .renewed, .autoRenewDisabled])
        #expect(unknown.receive(refund)[0].changes == [.refunded, .renewed, .autoRenewDisabled])
        let expired = Self.first { customer in
            _ = customer.setAutoRenew(false)
            customer.wait(.days(32))
            return customer.expire(.customerCancelled)
        }
        #expect(expired == [.expired, .subscribed, .autoRenewDisabled])
    }

    @Test("a first word tells what its label says, where there is nothing to compare with")
    func firstWords() {
        #expect(Self.first { $0.setAutoRenew(true) } == [.subscribed, .autoRenewEnabled])
        #expect(Self.first { $0.extend() } == [.subscribed, .extended])
        let reversed = Self.first { customer in
            _ = customer.refund(0)
            return customer.reverseRefund(0)
        }
        #expect(reversed.prefix(2) == [.subscribed, .refundReversed])
        let failed = Self.first { customer in
            customer.wait(.days(31))
            _ = customer.failToRenew(grace: .days(1))
            customer.wait(.days(2))
            return customer.graceExpires()
        }
        #expect(failed.first == .graceExpired && failed.contains(.subscribed))
        #expect(!failed.contains(.enteredRetry))
    }

    /// What is told of a subscription by the last of what has become of it, when all before is unknown.
    private static func first(_ life: (inout Customer) -> FactBundle) -> [Change] {
        var customer = Customer()
        _ = customer.subscribe()
        var state = StreamState(key: .subscription)
        return state.receive(life(&customer))[0].changes
    }

    @Test("what says nothing new is recorded at most once a day, and only from an API")
    func confirmations() {
        var customer = Customer()
        var state = StreamState(.subscription, [customer.subscribe(), customer.poll()])
        #expect(state.receive(customer.post()) == [])
        #expect(state.receive(customer.poll()).map(\.kind) == [.confirmed])
        #expect(state.receive(customer.poll()) == [])
        customer.wait(.days(1))
        #expect(state.receive(customer.poll()).map(\.kind) == [.confirmed])
        let watermark = state.facts.renewal?.info.signedDate
        let again = customer.poll()
        #expect(state.decide(again, rules: self.rules) == [])
        #expect(watermark! < state.merging(again.facts, source: again.source).facts.renewal!.info.signedDate)
    }

    @Test("watermarks that rose unrecorded are recorded with the next event, so that a late fact loses in a replay too")
    func unrecordedWatermarks() {
        var customer = Customer()
        var log = [customer.subscribe(), customer.poll(), customer.poll()].map(SubscriptionEvent.init)
        var state = log.reduce(into: StreamState(key: .subscription)) { $0.apply($1) }
        state.confirmedDay = .max
        let late = customer.setAutoRenew(false)
        _ = customer.setAutoRenew(true)
        #expect(state.receive(customer.poll()) == [])
        let events = state.receive(late)
        #expect(events.map(\.kind).prefix(2) == [.noted, .watermarksRaised])
        log += events
        let replayed = log.reduce(into: StreamState(key: .subscription)) { $0.apply($1) }
        #expect((replayed.facts == state.facts) as Bool)
        #expect(replayed.snapshot(at: late.signedDate + .hours(1), rules: self.rules)?.autoRenew == true)
    }

    @Test
    func `links of versions without policies are read: the first customer holds, the others are conflicts`() {
        var state = StreamState(.subscription, [bundle(.client, [RuleTests.month])])
        for name in ["c-1", "c-0", "c-1", "c-2"] {
            state.apply(SubscriptionEvent(source: .client, changes: [.linked], customerID: name))
        }
        #expect(state.leads.link?.customer == CustomerID("c-1"))
        #expect(state.leads.conflicts == [CustomerID("c-0")!, CustomerID("c-2")!])
        #expect(state.snapshot(at: day(1), rules: self.rules)?.customerIDs == ["c-1"])
    }

    @Test
    func `a restored copy that is signed again is no news`() {
        var state = StreamState(key: .purchase)
        func copy(_ id: Int, bought: Double, signed: Double) -> TransactionInfo {
            transaction(id, from: bought, to: nil, signed: signed, product: "lifetime") {
                ($0.productType, $0.originalPurchaseDate) = ("Non-Consumable", day(1))
                $0.appTransactionID = "704"
                $0.appAccountToken = "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"
            }
        }
        _ = state.receive(bundle(.client, [copy(100, bought: 1, signed: 1)]))
        _ = state.receive(bundle(.client, [copy(101, bought: 2, signed: 2)]))
        for launch in 3..<9 {
            #expect(state.receive(bundle(.client, [copy(101, bought: 2, signed: Double(launch))])) == [])
        }
    }

    @Test
    func `a token that an older payload brings is recorded, and survives a replay`() {
        var state = StreamState(key: .subscription)
        let months = (0..<6).map { transaction(100 + $0, from: Double($0) * 30, to: Double($0 + 1) * 30) }
        var log = months.flatMap { state.receive(bundle(.history, [$0])) }
        var late = months[0]
        late.appAccountToken = "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11"
        log += state.receive(bundle(.client, [late]))
        #expect(state.leads.token?.value?.rawValue == "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11")
        #expect(log.reduce(into: StreamState(key: .subscription)) { $0.apply($1) }.leads == state.leads)
    }

    @Test(
        "an anomaly says where Apple's status and the facts differ",
        arguments: [
            (4, "4, but by rule 7 retry"), (5, "5, but by rule 7 retry"), (9, "9, but by rule 7 retry"), (3, nil),
        ])
    func anomalies(_ number: Int64, _ detail: String?) {
        var state = StreamState(key: .subscription)
        let failing = renewal(signed: 30) { $0.isInBillingRetryPeriod = true }
        let events = state.receive(bundle(.notification, [RuleTests.month], failing, status(number, asOf: 30)))
        #expect(events.dropFirst().map(\.kind) == (detail == nil ? [] : [.anomaly]))
        #expect(events.dropFirst().first?.detail?.contains(detail ?? "") ?? (detail == nil))
    }

    @Test("a notification is recorded even when nothing is new, unknown, or far too old")
    func alwaysRecorded() {
        var customer = Customer()
        let first = customer.subscribe()
        let later = (0..<6).map { _ in customer.renew() }
        var state = StreamState(.subscription, later)
        #expect(state.receive(first).map(\.kind) == [.noted])
        #expect(state.receive(customer.refund(0)).map(\.kind) == [.refunded], "a period older than the kept four")
        #expect(state.receive(customer.reverseRefund(0)).map(\.kind) == [.refundReversed])
    }

    @Test("decide reads the state, the bundle and the rules, and changes nothing")
    func decideIsPure() {
        var customer = Customer()
        let state = StreamState(.subscription, [customer.subscribe()])
        let bundle = customer.refund(0)
        #expect(state.decide(bundle, rules: self.rules) == state.decide(bundle, rules: self.rules))
    }
}
