import Subscriptions

/// One purchase that does not renew, and perhaps its refund.
struct OneTimeLife: Sendable {
    private enum Step {
        case askForRefund
        case decideRefund(Act.Refund)
    }

    let profile: CustomerProfile
    private var random: SeededGenerator
    private var agenda = Agenda<Step>()
    private(set) var transaction: StoreTransaction
    private(set) var truth: Truth
    private(set) var signing = SigningTimes()

    init(profile: CustomerProfile, buys product: Product, id: String, at moment: Moment, random: SeededGenerator) {
        var random = random
        let quantity = product.kind == .consumable ? random.within(1...3) : 1
        self.profile = profile
        self.random = random
        self.transaction = StoreTransaction(
            id: id, originalID: id, product: product, quantity: quantity, purchaseDate: moment,
            originalPurchaseDate: moment, reason: .purchase, price: product.price * quantity)
        self.truth = Truth(originalTransactionID: id, environment: profile.environment)
        self.truth.set(self.transaction)
    }

    var nextDue: Moment? { self.agenda.nextDue }

    mutating func buy() -> StoreNotification {
        self.signing.next(at: self.transaction.purchaseDate)
        return self.tell("ONE_TIME_CHARGE", .owned, signedDate: self.transaction.purchaseDate)
    }

    mutating func next() -> [StoreNotification] {
        guard let (moment, step) = self.agenda.next() else { return [] }
        switch step {
        case .askForRefund: return self.ask(for: Act.Refund(), at: moment)
        case .decideRefund(let refund): return self.decide(refund, at: moment)
        }
    }

    mutating func askForRefund(at moment: Moment) { self.agenda.enter(.askForRefund, due: moment) }

    private mutating func decide(_ refund: Act.Refund, at moment: Moment) -> [StoreNotification] {
        guard refund.isGranted else { return [self.tell("REFUND_DECLINED", nil, at: moment)] }
        let signedDate = self.sign(after: moment)
        self.transaction.revocation = StoreTransaction.Revocation(
            date: signedDate, reason: self.random.chance(300) ? 1 : 0,
            kind: refund.percentage == 100_000 ? .refundFull : .refundProrated, percentage: refund.percentage)
        return [self.tell("REFUND", .revoked, signedDate: signedDate)]
    }

    mutating func ask(for refund: Act.Refund, at moment: Moment) -> [StoreNotification] {
        guard self.transaction.revocation == nil, self.agenda.nextDue == nil else { return [] }
        self.agenda.enter(.decideRefund(refund), due: moment + .minutes(self.random.within(60...20 * 60)))
        return [self.tell("CONSUMPTION_REQUEST", nil, reason: "OTHER", at: moment)]
    }

    /// From now on it is owned again. In between it was not, in hindsight either.
    mutating func reverseRefund(at moment: Moment) -> [StoreNotification] {
        guard self.transaction.revocation != nil else { return [] }
        self.transaction.revocation = nil
        return [self.tell("REFUND_REVERSED", .owned, at: moment)]
    }

    mutating func set(appAccountToken token: String) { self.transaction.appAccountToken = token }

    private mutating func sign(after moment: Moment) -> Moment {
        self.signing.next(after: moment, random: &self.random)
    }

    private mutating func tell(
        _ type: String, _ state: Truth.State?, reason: String? = nil, at moment: Moment
    ) -> StoreNotification {
        self.tell(type, state, reason: reason, signedDate: self.sign(after: moment))
    }

    private mutating func tell(
        _ type: String, _ state: Truth.State?, reason: String? = nil, signedDate: Moment
    ) -> StoreNotification {
        if let state { self.truth.set(state, from: signedDate) }
        return StoreNotification(
            type: type, subtype: nil, uuid: self.random.uuid(),
            signedDate: signedDate,
            content: .purchase(
                StoreNotification.Purchase(
                    profile: self.profile, transaction: self.transaction, consumptionRequestReason: reason)))
    }
}
