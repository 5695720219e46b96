import Subscriptions
import Testing

/// The nine rules, one by one, each at its boundaries.
@Suite struct RuleTests {
    static let month = transaction(100, from: 0, to: 30)
    static let nextMonth = transaction(101, from: 30, to: 60)

    static let rule1 = [
        RuleCase(
            "1: the newest purchase decides, marked or not",
            [
                bundle(.notification, [month]),
                bundle(.notification, [transaction(101, from: 10, to: 15)], renewal(signed: 10, autoRenew: false)),
            ],
            [(just(before: day(10)), .subscribed(day(15))), (day(14), .subscribed(day(15))), (day(15), .expired)]),
        RuleCase(
            "1: before the first purchase, the earliest known counts",
            [bundle(.notification, [transaction(101, from: 1, to: 31, signed: 0.5)])],
            [(day(0.5), .subscribed(day(31) + leeway))]),
        RuleCase(
            "1: when the newest is an upgraded one, the answer is incomplete",
            [bundle(.notification, [transaction(100, from: 0, to: 30) { $0.isUpgraded = true }])],
            [(day(1), .subscribed(day(30) + leeway).incompletely)]),
        RuleCase(
            "1: the mark of a superseded one says nothing",
            [
                bundle(.notification, [transaction(100, from: 0, to: 30) { $0.isUpgraded = true }]),
                bundle(.notification, [transaction(101, from: 10, to: 40)]),
            ],
            [(day(11), .subscribed(day(40) + leeway))]),
    ]

    static let rule2 = [
        RuleCase(
            "2: a renewal bought ahead extends the end",
            [bundle(.notification, [month, transaction(101, from: 30, to: 60, signed: 29)])],
            [
                (day(29), .subscribed(day(60) + leeway)), (day(30), .subscribed(day(60) + leeway)),
                (day(60), .awaiting(day(60) + leeway)),
            ]),
        RuleCase(
            "2: a gap of a millisecond breaks the chain",
            [
                bundle(
                    .notification,
                    [month, transaction(101, from: 30, to: 60) { $0.purchaseDate = day(30) + oneMillisecond }],
                    renewal(signed: 0, autoRenew: false))
            ],
            [(day(29), .subscribed(day(30))), (day(30), .expired), (day(30) + oneMillisecond, .subscribed(day(60)))]),
        RuleCase(
            "2: a revoked period adds nothing after its revocation",
            [
                bundle(
                    .notification,
                    [month, transaction(101, from: 30, to: 60, signed: 29) { $0.revocationDate = day(29.5) }])
            ],
            [(day(29), .subscribed(day(30))), (just(before: day(30)), .subscribed(day(30))), (day(30), .revoked)]),
        RuleCase(
            "2: a restored copy is the same period, and a revocation of one counts for all",
            [
                bundle(.notification, [transaction(100, from: 0, to: 30) { $0.revocationDate = day(8) }]),
                bundle(.notification, [transaction(105, from: 5, to: 30) { $0.webOrderLineItemID = "w100" }]),
            ],
            [(just(before: day(8)), .subscribed(day(8))), (day(8), .revoked)]),
        RuleCase(
            "2: with status 1, a renewal info that reaches further stands for the transaction not seen",
            [bundle(.notification, [month], renewal(signed: 30) { $0.renewalDate = day(60) }, status(1, asOf: 30))],
            [
                (day(31), .subscribed(day(60) + leeway).incompletely),
                (day(60), .awaiting(day(60) + leeway).incompletely),
            ]),
        RuleCase(
            "2: one that reaches as far as the periods known stands for nothing",
            [
                bundle(
                    .notification, [month, transaction(101, from: 30, to: 60, signed: 29)],
                    renewal(signed: 29) { $0.renewalDate = day(60) }, status(1, asOf: 29))
            ],
            [(day(29), .subscribed(day(60) + leeway))]),
        RuleCase(
            "2: nor does one of a renewal that is known, and was revoked before it began",
            [
                bundle(.notification, [month]),
                bundle(
                    .notification, [transaction(101, from: 30, to: 60, signed: 29) { $0.revocationDate = day(29) }],
                    renewal(signed: 29) { $0.renewalDate = day(60) }, status(1, asOf: 29)),
            ],
            [(day(29), .subscribed(day(30))), (day(30), .revoked)]),
        RuleCase(
            "2: without status 1, it does not",
            [bundle(.notification, [month], renewal(signed: 30) { $0.renewalDate = day(60) })],
            [(day(30), .awaiting(day(30) + leeway)), (day(30) + leeway, .expired)]),
    ]

    static let rule3 = [
        RuleCase(
            "3: 5 is revoked, whatever the facts say",
            [bundle(.notification, [month], nil, status(5, asOf: 3))],
            [(just(before: day(3)), .subscribed(day(3))), (day(3), .revoked)]),
        RuleCase("3: 2 is expired", [bundle(.notification, [month], nil, status(2, asOf: 3))], [(day(3), .expired)]),
        RuleCase(
            "3: 3 is retry from the end on, for 60 days",
            [bundle(.notification, [month], renewal(signed: 29), status(3, asOf: 29))],
            [
                (just(before: day(30)), .subscribed(day(30))), (day(30), .retry), (just(before: day(90)), .retry),
                (day(90), .expired),
            ]),
        RuleCase(
            "3: in Sandbox retry has no end of its own", key: .sandbox,
            [bundle(.notification, [month], renewal(signed: 30), status(3, asOf: 30))], [(day(900), .retry)]),
        RuleCase(
            "3: 4 is grace until the grace date, then the facts count",
            [
                bundle(
                    .notification, [month],
                    renewal(signed: 30) { ($0.gracePeriodExpiresDate, $0.isInBillingRetryPeriod) = (day(46), true) },
                    status(4, asOf: 30))
            ],
            [(day(30), .grace(day(46))), (just(before: day(46)), .grace(day(46))), (day(46), .retry)]),
        RuleCase(
            "3: 4 without a date is worth three days",
            [bundle(.notification, [month], renewal(signed: 30), status(4, asOf: 30))],
            [(just(before: day(33)), .grace(day(33))), (day(33), .expired)]),
        RuleCase(
            "3: 1 is subscribed until the end and the leeway",
            [bundle(.notification, [month], renewal(signed: 29), status(1, asOf: 29))],
            [(day(30), .awaiting(day(30) + leeway)), (day(30) + leeway, .expired)]),
        RuleCase(
            "3: 1 with auto-renew off is worth no leeway",
            [bundle(.notification, [month], renewal(signed: 29, autoRenew: false), status(1, asOf: 29))],
            [(just(before: day(30)), .subscribed(day(30))), (day(30), .expired)]),
        RuleCase(
            "3: 4 without a date, said when the three days were over, holds for a day",
            [
                bundle(.notification, [month], renewal(signed: 0)),
                bundle(.notification, [month], renewal(signed: 34), status(4, asOf: 34)),
            ],
            [
                (just(before: day(34)), .expired), (day(34), .grace(day(35)).incompletely),
                (just(before: day(35)), .grace(day(35)).incompletely), (day(35), .expired),
            ]),
        RuleCase(
            "3: 4 said at the grace date holds for a day as well, then the facts count",
            [
                bundle(
                    .notification, [month],
                    renewal(signed: 46) { ($0.gracePeriodExpiresDate, $0.isInBillingRetryPeriod) = (day(46), true) },
                    status(4, asOf: 46))
            ],
            [(day(46), .grace(day(47)).incompletely), (day(47), .retry)]),
        RuleCase(
            "3: so does 3 after the 60 days, also from the statuses endpoint",
            [
                bundle(
                    .statuses, [month], renewal(signed: 91), status(3, asOf: 91, unsigned: .init(purchaseDate: day(0))))
            ],
            [(day(91), .retry.incompletely), (just(before: day(92)), .retry.incompletely), (day(92), .expired)]),
        RuleCase(
            "3: and 1 after the leeway",
            [bundle(.notification, [month], renewal(signed: 31), status(1, asOf: 31))],
            [(day(31), .awaiting(day(32)).incompletely), (day(32), .expired)]),
        RuleCase(
            "3: and 1 after the end, with auto-renew off",
            [bundle(.notification, [month], renewal(signed: 31, autoRenew: false), status(1, asOf: 31))],
            [(day(31), .subscribed(day(32)).incompletely), (day(32), .expired)]),
        RuleCase(
            "3: a number said in time holds no longer than its bound",
            [bundle(.notification, [month], renewal(signed: 32.9), status(4, asOf: 32.9))],
            [(just(before: day(33)), .grace(day(33))), (day(33), .expired)]),
        RuleCase(
            "3: other numbers fall through",
            [
                bundle(.notification, [month], nil, status(0, asOf: 3)),
                bundle(.notification, [month], nil, status(6, asOf: 2)),
            ],
            [(day(4), .subscribed(day(30) + leeway))]),
        RuleCase(
            "3: ends with a later purchase",
            [
                bundle(.notification, [month], nil, status(2, asOf: 3)),
                bundle(.notification, [transaction(101, from: 4, to: 34)]),
            ],
            [(just(before: day(4)), .expired), (day(4), .subscribed(day(34) + leeway))]),
        RuleCase(
            "3: ends when a purchase begins that was signed before",
            [
                bundle(
                    .notification, [month, transaction(101, from: 30, to: 60, signed: 29)], nil, status(2, asOf: 29.5))
            ],
            [(just(before: day(30)), .expired), (day(30), .subscribed(day(60) + leeway))]),
        RuleCase(
            "3: ends with a later renewal info",
            [
                bundle(.notification, [month], renewal(signed: 2), status(2, asOf: 3)),
                bundle(.notification, [], renewal(signed: 4)),
            ],
            [(day(4), .subscribed(day(30) + leeway))]),
        RuleCase(
            "3: ends with a later version of the current transaction that ends otherwise",
            [
                bundle(.notification, [month], nil, status(1, asOf: 0)),
                bundle(.notification, [transaction(100, from: 0, to: 30, signed: 9) { $0.revocationDate = day(8) }]),
            ],
            [(just(before: day(9)), .subscribed(day(9))), (day(9), .revoked)]),
        RuleCase(
            "3: but not with one that ends alike",
            [
                bundle(.notification, [month], nil, status(2, asOf: 3)),
                bundle(.notification, [transaction(100, from: 0, to: 30, signed: 9)]),
            ],
            [(day(10), .expired)]),
        RuleCase(
            "3: an unsigned status counts",
            [bundle(.statuses, [month], renewal(signed: 3), status(5, asOf: 3, unsigned: .init(purchaseDate: day(0))))],
            [(day(3), .revoked)]),
        RuleCase(
            "3: an unsigned status does not count while a newer transaction than its own is known",
            [
                bundle(
                    .statuses, [month], renewal(signed: 31), status(5, asOf: 31, unsigned: .init(purchaseDate: day0))),
                bundle(.notification, [nextMonth]),
            ],
            [(day(32), .subscribed(day(60) + leeway))]),
    ]

    static let rules4To9 = [
        RuleCase(
            "4: revoked from the revocation date on",
            [bundle(.notification, [transaction(100, from: 0, to: 30) { $0.revocationDate = day(8) }])],
            [(just(before: day(8)), .subscribed(day(8))), (day(8), .revoked), (day(99), .revoked)]),
        RuleCase(
            "4: of an older period it does not matter",
            [bundle(.notification, [transaction(100, from: 0, to: 30) { $0.revocationDate = day(40) }, nextMonth])],
            [(day(20), .subscribed(day(60) + leeway)), (day(41), .subscribed(day(60) + leeway))]),
        RuleCase(
            "5: subscribed until the end",
            [bundle(.notification, [month], renewal(signed: 0, autoRenew: false))],
            [(just(before: day(30)), .subscribed(day(30))), (day(30), .expired)]),
        RuleCase(
            "6: the grace date alone decides",
            [
                bundle(
                    .notification, [month],
                    renewal(signed: 30) { ($0.gracePeriodExpiresDate, $0.isInBillingRetryPeriod) = (day(46), false) })
            ],
            [(day(30), .grace(day(46))), (just(before: day(46)), .grace(day(46))), (day(46), .expired)]),
        RuleCase(
            "7: retry for 60 days",
            [bundle(.notification, [month], renewal(signed: 30) { $0.isInBillingRetryPeriod = true })],
            [(day(30), .retry), (just(before: day(90)), .retry), (day(90), .expired)]),
        RuleCase(
            "7: in Sandbox without end", key: .sandbox,
            [bundle(.notification, [month], renewal(signed: 30) { $0.isInBillingRetryPeriod = true })],
            [(day(30), .retry), (day(900), .retry)]),
        RuleCase(
            "8: awaiting the renewal within the leeway",
            [bundle(.notification, [month], renewal(signed: 0))],
            [
                (day(30), .awaiting(day(30) + leeway)), (just(before: day(30) + leeway), .awaiting(day(30) + leeway)),
                (day(30) + leeway, .expired),
            ]),
        RuleCase(
            "8: without renewal info it may renew", [bundle(.notification, [month])],
            [(day(30), .awaiting(day(30) + leeway))]),
        RuleCase(
            "8: in Sandbox the leeway is five minutes", key: .sandbox, [bundle(.notification, [month])],
            [(day(30), .awaiting(day(30) + .minutes(5))), (day(30) + .minutes(5), .expired)]),
        RuleCase(
            "8: an expiration intent forbids it",
            [bundle(.notification, [month], renewal(signed: 0) { $0.expirationIntent = .productNotForSale })],
            [(day(29), .subscribed(day(30))), (day(30), .expired)]),
        RuleCase(
            "8: a commitment that still runs counts as auto-renew on",
            [
                bundle(
                    .notification,
                    [
                        transaction(100, from: 0, to: 30) {
                            $0.commitment = TransactionInfo.Commitment()
                            $0.commitment?.commitmentExpiresDate = day(360)
                        }
                    ], renewal(signed: 0, autoRenew: false))
            ],
            [(day(30), .awaiting(day(30) + leeway))]),
        RuleCase(
            "8: in the last month of a commitment it does not",
            [
                bundle(
                    .notification,
                    [
                        transaction(100, from: 0, to: 30) {
                            $0.commitment = TransactionInfo.Commitment()
                            $0.commitment?.commitmentExpiresDate = day(30)
                        }
                    ], renewal(signed: 0, autoRenew: false))
            ],
            [(day(30), .expired)]),
        RuleCase(
            "9: otherwise expired; also when no transaction is known",
            [bundle(.notification, [], renewal(signed: 0))], [(day(1), .expired.incompletely)]),
        RuleCase(
            "9: a transaction without dates is worth nothing",
            [bundle(.notification, [transaction(100, from: nil, to: nil)])], [(day(1), .expired.incompletely)]),
    ]

    @Test(arguments: rule1 + rule2 + rule3 + rules4To9)
    func answers(_ row: RuleCase) throws { try row.check() }

    @Test("the leeway is a setting")
    func leewayIsConfigured() {
        let rules = DerivationRules(renewalLeeway: [.production: .minutes(1)])
        let state = StreamState(.subscription, [bundle(.notification, [Self.month])])
        #expect(state.snapshot(at: day(29), rules: rules)?.validUntil == day(30) + .minutes(1))
    }

    @Test("a renewal bought ahead brings its product and offer only when it starts")
    func productOfTheCurrentPeriod() {
        let ahead = transaction(101, from: 30, to: 60, signed: 29, product: "basic.monthly") { $0.offerType = .winBack }
        let state = StreamState(.subscription, [bundle(.notification, [Self.month, ahead])])
        let before = state.snapshot(at: just(before: day(30)), rules: DerivationRules())
        let after = state.snapshot(at: day(30), rules: DerivationRules())
        #expect(before?.productID == "pro.monthly")
        #expect(before?.offer == nil)
        #expect(after?.productID == "basic.monthly")
        #expect(after?.offer?.type == .winBack)
        #expect(
            state.nextTransition(after: day(29), rules: DerivationRules())
                == Transition(name: .periodStarted, due: day(30)))
    }

    @Test("a renewal that was revoked before it began never brings its product")
    func productBeforeARevokedPeriod() {
        let ahead = transaction(101, from: 30, to: 60, signed: 29, product: "basic.monthly") {
            $0.revocationDate = day(29)
        }
        let terms = renewal(signed: 29) { ($0.productID, $0.renewalDate) = ("basic.monthly", day(60)) }
        let state = StreamState(
            .subscription,
            [bundle(.notification, [Self.month]), bundle(.notification, [ahead], terms, status(1, asOf: 29))])
        #expect(state.snapshot(at: day(29), rules: DerivationRules())?.productID == "pro.monthly")
    }

    @Test
    func `in grace the customer has the product that is being charged`() {
        let failing = renewal(signed: 30) {
            ($0.gracePeriodExpiresDate, $0.isInBillingRetryPeriod) = (day(46), true)
            $0.autoRenewProductID = "basic.monthly"
        }
        let state = StreamState(.subscription, [bundle(.notification, [Self.month], failing)])
        func product(at moment: Moment) -> String? { state.snapshot(at: moment, rules: DerivationRules())?.productID }
        #expect(product(at: day(29)) == "pro.monthly")
        #expect(product(at: day(30)) == "basic.monthly")
        #expect(product(at: day(46)) == "pro.monthly", "in retry nobody has anything: it is what was paid last")
        let unnamed = renewal(signed: 30) { ($0.gracePeriodExpiresDate, $0.autoRenewProductID) = (day(46), nil) }
        let other = StreamState(.subscription, [bundle(.notification, [Self.month], unnamed)])
        #expect(other.snapshot(at: day(31), rules: DerivationRules())?.productID == "pro.monthly")
    }

    @Test("absurd dates and numbers never trap", arguments: [Int64.min, -1, 0, Int64.max])
    func absurdDates(_ milliseconds: Int64) {
        let moment = Moment(milliseconds: milliseconds)
        let odd = transaction(100, from: 0, to: 0) {
            ($0.purchaseDate, $0.expiresDate, $0.revocationDate, $0.signedDate) = (moment, moment, moment, moment)
        }
        let info = renewal(signed: 0) {
            ($0.signedDate, $0.gracePeriodExpiresDate, $0.renewalDate, $0.autoRenewStatus) = (
                moment, moment, moment, milliseconds
            )
        }
        let observed = StatusObservation(
            status: AppleStatus(rawValue: milliseconds), asOf: moment, digest: digest(1),
            unsigned: .init(purchaseDate: nil))
        for status in 0...6 {
            var observed = observed
            if status > 0 { observed.status = AppleStatus(rawValue: Int64(status)) }
            var state = StreamState(key: .subscription)
            _ = state.receive(bundle(.notification, [odd, Self.month], info, observed, signed: moment))
            _ = state.receive(bundle(.client, [odd], info, signed: moment))
            for at in [Moment.distantPast, day(3), moment, .distantFuture] {
                let snapshot = state.snapshot(at: at, rules: DerivationRules())
                #expect(snapshot != nil)
                #expect(state.explain(at: at, rules: DerivationRules()).count > 2)
                _ = state.nextTransition(after: at, rules: DerivationRules())
            }
        }
    }
}
