import Subscriptions

/// One customer's subscription as the App Store lives it: a machine whose steps are due at moments it has planned
/// itself. It keeps the transactions, the terms of the next renewal and the truth, and tells what the store would say.
struct SubscriptionLife: Sendable {
    enum Step: Sendable {
        case subscribe(Product, Offer?)
        case act(PeriodPlan.Act)
        case grantRefund
        case charge
        case reportFailure
        case recover
        case endGrace
        case endRetry
        case cancelWhileUnpaid
        case expire
    }

    /// Billing retry goes on for so long after the failed renewal; shorter gaps do not end a continuous stretch either.
    static let retryPeriod = Milliseconds.days(60)

    let profile: CustomerProfile
    var planner: Planner
    var random: SeededGenerator
    var agenda = Agenda<Step>()
    var plan = PeriodPlan()

    var transactions: [StoreTransaction] = []
    var renewal = RenewalTerms()
    var truth: Truth
    /// When service last ended.
    private var lapsedAt: Moment?
    private var signing = SigningTimes()

    init(profile: CustomerProfile, buys product: Product, at moment: Moment, planner: Planner, random: SeededGenerator)
    {
        self.profile = profile
        self.planner = planner
        self.random = random
        self.truth = Truth(originalTransactionID: profile.transactionID(1))
        self.agenda.enter(.subscribe(product, product.plan?.introductoryOffer), due: moment)
    }

    var nextDue: Moment? { self.agenda.nextDue }

    /// Takes the next step; nil when it is one the store does not speak about.
    mutating func next() -> StoreNotification? {
        guard let (moment, step) = self.agenda.next() else { return nil }
        switch step {
        case .subscribe(let product, let offer): return self.subscribe(to: product, offer: offer, at: moment)
        case .act(let act): return self.perform(act, at: moment)
        case .grantRefund: return self.grantRefund(at: moment)
        case .charge: return self.charge(at: moment)
        case .reportFailure: return self.reportFailure(at: moment)
        case .recover: return self.recover(at: moment)
        case .endGrace: return self.endGrace(at: moment)
        case .endRetry: return self.endRetry(at: moment)
        case .cancelWhileUnpaid: return self.cancelWhileUnpaid(at: moment)
        case .expire: return self.expire(at: moment)
        }
    }

    // MARK: What the steps share

    /// The newest transaction. There is one once the first step has been taken.
    var current: StoreTransaction {
        get { self.transactions[self.transactions.count - 1] }
        set { self.transactions[self.transactions.count - 1] = newValue }
    }

    /// The end of the newest period.
    var end: Moment { self.current.expiresDate ?? .distantFuture }

    private mutating func subscribe(to product: Product, offer: Offer?, at moment: Moment) -> StoreNotification {
        let isFirst = self.transactions.isEmpty
        self.renewal.autoRenew = true
        self.truth.set(autoRenew: true, from: moment)
        self.begin(product, offer: offer, from: moment, reason: .purchase, at: moment)
        return self.notification("SUBSCRIBED", isFirst ? "INITIAL_BUY" : "RESUBSCRIBE", at: moment)
    }

    /// A new period: its transaction, its terms, its truth (from `moment`, or from its start when signed ahead), and
    /// what the customer will do in it.
    mutating func begin(
        _ product: Product, offer: Offer?, from start: Moment, reason: StoreTransaction.Reason, at moment: Moment
    ) {
        let number = self.transactions.count + 1
        let period = offer?.period ?? product.plan?.period ?? .months(1)
        let transaction = StoreTransaction(
            id: self.profile.transactionID(number), originalID: self.profile.transactionID(1),
            webOrderLineItemID: self.profile.webOrderLineItemID(number), product: product, purchaseDate: start,
            originalPurchaseDate: self.transactions.first?.purchaseDate ?? start, expiresDate: start.after(period),
            reason: reason, offer: offer, price: offer?.price ?? product.price)
        self.transactions.append(transaction)
        self.renewal.begin(product, after: offer, stretch: self.stretchStart(at: start))
        self.lapsedAt = nil
        self.truth.set(self.standing(.subscribed), from: max(start, moment))
        self.planPeriod(from: max(start, moment))
    }

    private func stretchStart(at moment: Moment) -> Moment {
        guard let start = self.renewal.recentStart else { return moment }
        guard let lapsedAt = self.lapsedAt, moment >= lapsedAt + Self.retryPeriod else { return start }
        return moment
    }

    private mutating func planPeriod(from start: Moment) {
        self.agenda.removeAll()
        self.plan = self.planner.next(isTrial: self.current.price == 0, random: &self.random)
        let length = self.end.milliseconds - start.milliseconds
        for deed in self.plan.deeds {
            self.agenda.enter(
                .act(deed.act), due: start + Milliseconds(rawValue: length / 1_000 * deed.permille))
        }
        // Apple renews within the last day of the period.
        self.agenda.enter(.charge, due: self.end - .minutes(self.random.within(5...23 * 60)))
    }

    /// Service is over; perhaps the customer comes back.
    mutating func lapse(at moment: Moment, now: Moment) {
        self.lapsedAt = moment
        self.agenda.removeAll()
        guard let pause = self.plan.returnsAfter else { return }
        let offer = self.random.chance(500) ? self.current.product.plan?.winBackOffer : nil
        self.agenda.enter(.subscribe(self.current.product, offer), due: now + pause)
    }

    func standing(_ state: LifecycleState, grace: Moment? = nil) -> Truth.Standing {
        Truth.Standing(
            state: state, productID: self.current.product.id, transactionID: self.current.id,
            expiresDate: self.current.expiresDate, gracePeriodExpiresDate: grace)
    }

    /// A few seconds, as the store's own batches need.
    mutating func shortly(after moment: Moment) -> Moment { moment + .seconds(self.random.within(20...120)) }

    /// - Parameter transaction: what it is about; the newest unless said.
    mutating func notification(
        _ type: String, _ subtype: String? = nil, about transaction: StoreTransaction? = nil, at moment: Moment
    ) -> StoreNotification {
        let signedDate = self.signing.next(after: moment, random: &self.random)
        let renewal = RenewalSummary(
            terms: self.renewal, transaction: self.current,
            winBackOfferIDs: self.lapsedAt == nil ? nil : self.winBackOfferIDs)
        return StoreNotification(
            type: type, subtype: subtype, uuid: self.random.uuid(), signedDate: signedDate,
            purchase: StoreNotification.Purchase(
                profile: self.profile, transaction: transaction ?? self.current, renewal: renewal,
                status: self.truth.status(at: signedDate)))
    }

    private var winBackOfferIDs: [String]? { self.current.product.plan?.winBackOffer?.identifier.map { [$0] } }
}

extension Product {
    var plan: SubscriptionPlan? {
        guard case .subscription(let plan) = self.kind else { return nil }
        return plan
    }
}

/// When the notifications of one stream are signed: shortly after what they tell, and never two within a second, so
/// that their order is that of the events.
struct SigningTimes: Sendable {
    private var newest = Moment.distantPast

    mutating func next(after moment: Moment, random: inout SeededGenerator) -> Moment {
        let delay = Milliseconds(rawValue: random.within(200...3_000))
        self.newest = max(moment + delay, self.newest + .seconds(1))
        return self.newest
    }
}
