import Subscriptions

/// One customer's subscription in one group as the App Store runs it: charges, retries and decisions fall due at moments
/// that it plans itself; customers and publishers act in between. What it decides goes into the books of the purchaser
/// and of everybody they share it with, and each book tells its own notifications.
struct SubscriptionLife: Sendable {
    enum Step: Sendable {
        /// In the last day of a period.
        case charge
        case periodEnd
        /// Shortly after a period that was not renewed.
        case conclude
        case endGrace
        case endRetry
        case expire
        case decideRefund(transactionID: String, Act.Refund)
        /// An act that had to wait until the coming period has begun.
        case act(Act)
    }

    private struct Entry: Sendable {
        let step: Step
        /// The plan it belongs to; steps of an older one no longer count. nil: it counts whatever happens.
        let plan: Int?
    }

    /// How far the running period has come.
    enum Stage: Sendable {
        /// Nothing was bought.
        case new
        case running
        /// The next period was charged before it begins.
        case renewed
        /// The period is over, and the store has yet to conclude what follows.
        case ended
        /// The charge failed; grace and billing retry.
        case unpaid
        case lapsed
    }

    let group: String
    let rules: StoreRules
    var random: SeededGenerator
    /// The purchaser's is the first.
    var accounts: [SubscriptionAccount]
    var stage = Stage.new
    /// Whether the next charge succeeds.
    var cardPays = true
    /// How many the purchaser shares with: the accounts after their own.
    var members = 0
    /// What the publisher has taken from sale.
    var withdrawn: Set<Product> = []
    var lapsesWithoutReason = false
    /// Transactions whose refund was asked for and is not decided.
    var undecided: Set<String> = []
    /// A refund of the coming period was asked for before there was one.
    var refundsNextPeriod: Act.Refund?
    var advancedCommerce: AdvancedCommerce?
    /// When the renewal date was moved.
    var extensions: [Moment] = []
    /// Counts the periods that have been paid for.
    private(set) var periods = 0
    /// Counts the renewals among them.
    private(set) var renewals = 0
    private var agenda = Agenda<Entry>()
    private var plan = 0

    init(group: String, rules: StoreRules, account: SubscriptionAccount, random: SeededGenerator) {
        self.group = group
        self.rules = rules
        self.accounts = [account]
        self.random = random
    }

    var nextDue: Moment? { self.agenda.nextDue }
    var purchaser: SubscriptionAccount { self.accounts[0] }
    var newest: StoreTransaction { self.purchaser.newest }
    var end: Moment { self.purchaser.end }
    var product: Product { self.newest.product }

    /// The purchaser's, or that of somebody they share with.
    func hasAccount(_ originalTransactionID: String) -> Bool {
        self.accounts.contains {
            $0.truth.originalTransactionID == originalTransactionID && !$0.transactions.isEmpty
        }
    }

    /// Takes the next step of the store's.
    mutating func next() -> [StoreNotification] {
        guard let (moment, entry) = self.agenda.next(), entry.plan == nil || entry.plan == self.plan else { return [] }
        switch entry.step {
        case .charge: return self.charge(at: moment)
        case .periodEnd: return self.endPeriod(at: moment)
        case .conclude: return self.conclude(at: moment)
        case .endGrace: return self.endGrace(at: moment)
        case .endRetry: return self.endRetry(at: moment)
        case .expire: return self.expire(.customerCancelled, "VOLUNTARY", at: moment)
        case .decideRefund(let id, let refund): return self.decide(refund, of: id, at: moment)
        case .act(let act): return self.perform(act, at: moment)
        }
    }

    // MARK: What the steps share

    /// Plans a step that counts until the next period, or whatever happens.
    mutating func enter(_ step: Step, due moment: Moment, always: Bool = false) {
        self.agenda.enter(Entry(step: step, plan: always ? nil : self.plan), due: moment)
    }

    /// What was planned no longer counts.
    mutating func dropPlan() { self.plan += 1 }

    /// A few seconds, as the store's own batches need.
    mutating func shortly(after moment: Moment) -> Moment { moment + .seconds(self.random.within(20...120)) }

    /// The same for everybody who has the service.
    mutating func everybody(
        _ change: (inout SubscriptionAccount) -> StoreNotification
    ) -> [StoreNotification] {
        (0...self.members).map { change(&self.accounts[$0]) }
    }

    /// A new period is paid for.
    mutating func begin(
        _ product: Product, offer: Offer?, from start: Moment, reason: StoreTransaction.Reason,
        isFromSigning: Bool = false, _ type: String, _ subtype: String?, at moment: Moment
    ) -> [StoreNotification] {
        let isNow = start == moment
        var told = product.plan?.isFamilyShareable == true ? [] : self.revokeMembers(reason: 0, at: moment)
        let moment = isNow ? self.accounts[...self.members].map { $0.opening(from: moment) }.max() ?? moment : moment
        let period = self.period(of: product, offer: offer, from: isNow ? moment : start, reason: reason)
        self.lapsesWithoutReason = false
        self.refundsNextPeriod = nil
        told += self.everybody { $0.begin(period, isFromSigning: isFromSigning, type, subtype, at: moment) }
        self.periods += 1
        if reason == .renewal { self.renewals += 1 }
        self.stage = start > moment ? .renewed : .running
        self.planPeriod(at: moment)
        return told
    }

    private mutating func period(
        of product: Product, offer: Offer?, from start: Moment, reason: StoreTransaction.Reason
    ) -> SubscriptionAccount.NewPeriod {
        if product != self.purchaser.transactions.last?.product { self.advancedCommerce?.move(to: product) }
        let length = offer?.period ?? product.plan?.period ?? .months(1)
        let commitment = self.commitment(to: product, from: start, reason: reason)
        // Months differ in length, and the last one ends with the commitment.
        let isLast = commitment.map { $0.number == $0.periods } ?? false
        let end = max(start.after(length), isLast ? commitment?.expiresDate ?? start : start)
        let raised = product == self.purchaser.renewal.product ? self.purchaser.renewal.raisedPrice : nil
        return SubscriptionAccount.NewPeriod(
            product: product, offer: offer, start: start, end: end, reason: reason,
            price: offer?.price ?? raised ?? product.price, commitment: commitment,
            advancedCommerce: self.advancedCommerce)
    }

    private func commitment(
        to product: Product, from start: Moment, reason: StoreTransaction.Reason
    ) -> StoreTransaction.Commitment? {
        guard let plan = product.plan, let periods = plan.commitment.map(Int64.init) else { return nil }
        if reason == .renewal, self.isCommitted, let running = self.newest.commitment {
            return StoreTransaction.Commitment(
                number: running.number + 1, periods: periods, expiresDate: running.expiresDate, price: running.price)
        }
        return StoreTransaction.Commitment(
            number: 1, periods: periods, expiresDate: start.after(plan.period.times(periods)),
            price: product.price * periods)
    }

    /// Renewal is charged in the last day of a period; Apple does it within 24 hours before the end.
    mutating func planPeriod(at moment: Moment) {
        self.dropPlan()
        let lead = Milliseconds.minutes(self.random.within(5...23 * 60))
        self.enter(.charge, due: max(self.end - lead, max(self.newest.purchaseDate, moment) + .seconds(1)))
        self.enter(.periodEnd, due: self.end)
    }

    mutating func lapse(at moment: Moment) {
        self.stage = .lapsed
        self.refundsNextPeriod = nil
        self.dropPlan()
        for index in self.accounts.indices where !self.accounts[index].isLapsed {
            self.accounts[index].lapse(at: moment)
        }
    }
}

/// What holds for everybody who buys in the simulated store.
struct StoreRules: Hashable, Sendable {
    let products: [Product]
    let grace: GracePolicy
    let environment: AppStoreEnvironment

    /// The same for somebody who buys elsewhere.
    func applied(in environment: AppStoreEnvironment?) -> StoreRules {
        StoreRules(products: self.products, grace: self.grace, environment: environment ?? self.environment)
    }

    func product(_ id: String) -> Product? { self.products.first { $0.id == id } }

    /// When billing retry ends by itself. The sandbox's clock is compressed, and its records foresee nothing.
    func retryEnd(after end: Moment) -> Moment? { self.environment == .production ? end + .days(60) : nil }
}
