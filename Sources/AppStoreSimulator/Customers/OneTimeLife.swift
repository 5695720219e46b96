import Subscriptions

/// One purchase that does not renew, and perhaps its refund.
struct OneTimeLife: Sendable {
    private enum Step { case buy, refund }

    private let profile: CustomerProfile
    private let product: Product
    private var random: SeededGenerator
    private var agenda = Agenda<Step>()
    private var transaction: StoreTransaction?
    private(set) var truth: Truth
    private var signing = SigningTimes()

    /// Beyond the numbers that a subscription reaches.
    private static let transactionNumber = 9_001

    init(profile: CustomerProfile, buys product: Product, at moment: Moment, random: SeededGenerator) {
        self.profile = profile
        self.product = product
        self.random = random
        self.truth = Truth(originalTransactionID: profile.transactionID(Self.transactionNumber))
        self.agenda.enter(.buy, due: moment)
    }

    var nextDue: Moment? { self.agenda.nextDue }

    mutating func next() -> StoreNotification? {
        guard let (moment, step) = self.agenda.next() else { return nil }
        switch step {
        case .buy: return self.buy(at: moment)
        case .refund: return self.refund(at: moment)
        }
    }

    private mutating func buy(at moment: Moment) -> StoreNotification {
        let id = self.profile.transactionID(Self.transactionNumber)
        let quantity = self.product.kind == .consumable ? self.random.within(1...3) : 1
        let transaction = StoreTransaction(
            id: id, originalID: id, product: self.product, quantity: quantity, purchaseDate: moment,
            originalPurchaseDate: moment, reason: .purchase, price: self.product.price * quantity)
        self.transaction = transaction
        if self.random.chance(150) {
            self.agenda.enter(.refund, due: moment + .hours(self.random.within(24...30 * 24)))
        }
        return self.tell("ONE_TIME_CHARGE", .owned, transaction, at: moment)
    }

    private mutating func refund(at moment: Moment) -> StoreNotification? {
        guard var transaction = self.transaction else { return nil }
        transaction.revocation = .refund(at: moment, random: &self.random)
        self.transaction = transaction
        return self.tell("REFUND", .revoked, transaction, at: moment)
    }

    private mutating func tell(
        _ type: String, _ state: LifecycleState, _ transaction: StoreTransaction, at moment: Moment
    ) -> StoreNotification {
        self.truth.set(
            Truth.Standing(state: state, productID: self.product.id, transactionID: transaction.id), from: moment)
        return StoreNotification(
            type: type, subtype: nil, uuid: self.random.uuid(),
            signedDate: self.signing.next(after: moment, random: &self.random),
            purchase: StoreNotification.Purchase(profile: self.profile, transaction: transaction))
    }
}
