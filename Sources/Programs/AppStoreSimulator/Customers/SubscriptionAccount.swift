import Subscriptions

/// One subscription in the store's books: the purchaser's, or that of somebody they share it with. It records what the
/// store decides, keeps the truth of it, and tells.
struct SubscriptionAccount: Sendable {
    let profile: CustomerProfile
    let ownership: StoreTransaction.Ownership
    let numbers: TransactionNumbers
    private var random: SeededGenerator

    private(set) var transactions: [StoreTransaction] = []
    private(set) var renewal = RenewalTerms()
    private(set) var truth: Truth
    /// When service last ended; nil while it runs, unpaid time included.
    private(set) var lapsedAt: Moment?
    private(set) var signing = SigningTimes()
    /// What the publisher has set by the API: of the newest transaction and of those to come.
    private var appAccountToken: String?

    init(
        profile: CustomerProfile, ownership: StoreTransaction.Ownership, numbers: TransactionNumbers,
        random: SeededGenerator
    ) {
        self.profile = profile
        self.ownership = ownership
        self.numbers = numbers
        self.random = random
        self.truth = Truth(originalTransactionID: numbers.transactionID(1), environment: profile.environment)
    }

    /// The newest transaction; it may be one whose period has not begun. There is one once something was bought.
    var newest: StoreTransaction { self.transactions[self.transactions.count - 1] }
    var end: Moment { self.newest.expiresDate ?? .distantFuture }
    var isLapsed: Bool { self.lapsedAt != nil }

    // MARK: What the store records

    /// A period that is paid for, and the terms that follow it.
    struct NewPeriod: Sendable {
        let product: Product
        let offer: Offer?
        let start: Moment
        let end: Moment
        let reason: StoreTransaction.Reason
        let price: Int64
        let commitment: StoreTransaction.Commitment?
        let advancedCommerce: AdvancedCommerce?
    }

    /// - Parameters:
    ///   - terms: whose renewal terms are taken over; nil: they follow from the period.
    ///   - isFromSigning: whether access begins when this is signed, not when the period does: a renewal that is
    ///     recovered within grace starts in the past.
    mutating func begin(
        _ period: NewPeriod, following terms: RenewalTerms? = nil, isFromSigning: Bool = false, _ type: String,
        _ subtype: String?, at moment: Moment
    ) -> StoreNotification {
        let number = self.transactions.count + 1
        let transaction = StoreTransaction(
            id: self.numbers.transactionID(number), originalID: self.truth.originalTransactionID,
            webOrderLineItemID: self.numbers.webOrderLineItemID(number), product: period.product,
            purchaseDate: period.start, originalPurchaseDate: self.transactions.first?.purchaseDate ?? period.start,
            expiresDate: period.end, reason: period.reason, ownership: self.ownership, offer: period.offer,
            price: period.price, commitment: period.commitment, advancedCommerce: period.advancedCommerce,
            appAccountToken: self.appAccountToken)
        let stretch = self.stretchStart(at: period.start)
        self.transactions.append(transaction)
        self.truth.set(transaction)
        let isNow = period.start == moment
        let signedDate = isNow ? self.signAtOnce(moment) : self.sign(after: moment)
        if let terms { self.renewal = terms } else { self.renewal.begin(period) }
        self.renewal.recentStart = stretch
        self.lapsedAt = nil
        self.truth.set(.subscribed, from: isFromSigning ? signedDate : max(period.start, moment))
        self.truth.set(self.renewal, from: signedDate)
        return self.tell(type, subtype, signedDate: signedDate)
    }

    /// Changes the terms of the next renewal.
    mutating func setTerms(
        _ type: String, _ subtype: String?, at moment: Moment, _ change: (inout RenewalTerms) -> Void
    ) -> StoreNotification {
        change(&self.renewal)
        let signedDate = self.sign(after: moment)
        self.truth.set(self.renewal, from: signedDate)
        return self.tell(type, subtype, signedDate: signedDate)
    }

    /// The state is another one from this signing on.
    mutating func conclude(
        _ state: Truth.State, _ type: String, _ subtype: String?, at moment: Moment,
        _ change: (inout RenewalTerms) -> Void
    ) -> StoreNotification {
        change(&self.renewal)
        let signedDate = self.sign(after: moment)
        if self.truth.standing(at: signedDate)?.state != state { self.truth.set(state, from: signedDate) }
        self.truth.set(self.renewal, from: signedDate)
        return self.tell(type, subtype, signedDate: signedDate)
    }

    /// A charge failed. Afterwards service goes on in grace, if there is one, and then ends by the dates.
    mutating func fail(graceEnd: Moment?, retryEnd: Moment?, at moment: Moment) -> StoreNotification {
        self.renewal.expirationIntent = .billingError
        self.renewal.isInBillingRetryPeriod = true
        self.renewal.gracePeriodExpiresDate = graceEnd
        let signedDate = self.sign(after: moment)
        self.truth.set(self.renewal, from: signedDate)
        if let graceEnd {
            self.truth.set(.grace, grace: graceEnd, from: signedDate)
            self.truth.set(.retry, from: graceEnd)
        } else {
            self.truth.set(.retry, from: signedDate)
        }
        if let retryEnd { self.truth.set(.expired, from: retryEnd) }
        return self.tell("DID_FAIL_TO_RENEW", graceEnd == nil ? nil : "GRACE_PERIOD", signedDate: signedDate)
    }

    /// Service ends at a date that the records foresee.
    mutating func foresee(_ state: Truth.State, from moment: Moment) { self.truth.set(state, from: moment) }

    mutating func lapse(at moment: Moment) { self.lapsedAt = moment }

    mutating func extend(to end: Moment, at moment: Moment) -> StoreNotification {
        self.transactions[self.transactions.count - 1].expiresDate = end
        self.truth.set(self.newest)
        return self.tell("RENEWAL_EXTENDED", nil, signedDate: self.sign(after: moment))
    }

    /// Of the newest transaction and of all that follow.
    mutating func set(appAccountToken token: String) {
        self.appAccountToken = token
        self.transactions[self.transactions.count - 1].appAccountToken = token
    }

    /// Changes a transaction without a change of state.
    mutating func mark(_ position: Int, _ change: (inout StoreTransaction) -> Void) {
        change(&self.transactions[position])
    }

    /// Money or access is taken back. Touches that transaction only; the state changes when it is the newest one.
    mutating func revoke(
        _ position: Int, _ kind: StoreTransaction.Revocation.Kind, reason: Int64, percentage: Int64?, _ type: String,
        at moment: Moment
    ) -> StoreNotification {
        let signedDate = self.sign(after: moment)
        self.transactions[position].revocation = StoreTransaction.Revocation(
            date: signedDate, reason: reason, kind: kind, percentage: percentage)
        if position == self.transactions.count - 1 {
            self.truth.set(.revoked, from: max(signedDate, self.newest.purchaseDate))
            self.lapsedAt = max(signedDate, self.newest.purchaseDate)
        }
        return self.tell(type, nil, about: self.transactions[position], signedDate: signedDate)
    }

    /// A revocation is undone. It was true until now, in hindsight too.
    mutating func restore(_ position: Int, at moment: Moment) -> StoreNotification {
        let signedDate = self.sign(after: moment)
        self.transactions[position].revocation = nil
        if position == self.transactions.count - 1 {
            let runs = signedDate < self.end
            self.truth.set(runs ? .subscribed : .expired, from: signedDate)
            self.lapsedAt = runs ? nil : self.end
        }
        return self.tell("REFUND_REVERSED", nil, about: self.transactions[position], signedDate: signedDate)
    }

    // MARK: What it tells

    /// - Parameter transaction: what it is about; the newest unless said.
    mutating func tell(
        _ type: String, _ subtype: String?, about transaction: StoreTransaction? = nil, reason: String? = nil,
        at moment: Moment
    ) -> StoreNotification {
        self.tell(type, subtype, about: transaction, reason: reason, signedDate: self.sign(after: moment))
    }

    /// When the facts are signed: this is when the store has concluded.
    private mutating func sign(after moment: Moment) -> Moment {
        self.signing.next(after: moment, random: &self.random)
    }

    /// A purchase is concluded when it is made.
    private mutating func signAtOnce(_ moment: Moment) -> Moment {
        self.signing.next(at: moment)
        return moment
    }

    /// The first moment from this one on at which something can be concluded.
    func opening(from moment: Moment) -> Moment { self.signing.opening(from: moment) }

    private mutating func tell(
        _ type: String, _ subtype: String?, about transaction: StoreTransaction? = nil, reason: String? = nil,
        signedDate: Moment
    ) -> StoreNotification {
        var purchase = self.statement(about: transaction ?? self.newest, at: signedDate)
        purchase.consumptionRequestReason = reason
        return StoreNotification(
            type: type, subtype: subtype, uuid: self.random.uuid(), signedDate: signedDate,
            content: .purchase(purchase))
    }

    /// What is to be said of a transaction when it is signed then: with the terms and the status of that moment.
    func statement(about transaction: StoreTransaction, at signedDate: Moment) -> StoreNotification.Purchase {
        let renewal = RenewalSummary(
            terms: self.renewal, transaction: self.newest,
            winBackOfferIDs: self.lapsedAt.map { $0 <= signedDate } == true ? self.winBackOfferIDs : nil)
        return StoreNotification.Purchase(
            profile: self.profile, transaction: transaction, renewal: renewal,
            status: self.truth.status(at: signedDate))
    }

    private var winBackOfferIDs: [String]? {
        let offers = self.newest.product.plan?.offers.filter { $0.kind == .winBack }.compactMap(\.identifier) ?? []
        return offers.isEmpty ? nil : offers
    }

    /// Gaps shorter than this do not end a continuous stretch of service.
    private static let longestGap = Milliseconds.days(60)

    /// Grace and billing retry count as gap.
    private func stretchStart(at moment: Moment) -> Moment {
        guard let start = self.renewal.recentStart else { return moment }
        guard let lapsedAt, moment >= min(lapsedAt, self.end) + Self.longestGap else { return start }
        return moment
    }
}

extension RenewalTerms {
    /// A new period has been paid for: all is well again.
    fileprivate mutating func begin(_ period: SubscriptionAccount.NewPeriod) {
        if period.product != self.product { self.raisedPrice = nil }
        if period.reason == .purchase { self.autoRenew = true }
        self.product = period.product
        self.expirationIntent = nil
        self.isInBillingRetryPeriod = nil
        self.gracePeriodExpiresDate = nil
        self.priceIncrease = nil
        self.nextOffer = period.offer?.next
        self.commitmentAutoRenew = period.commitment.map { $0.number == 1 ? true : self.commitmentAutoRenew ?? true }
    }
}
