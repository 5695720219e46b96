import Subscriptions

/// One person with a subscription and perhaps a one-time purchase.
struct Customer: Sendable {
    private(set) var subscription: SubscriptionLife
    private(set) var purchase: OneTimeLife?

    /// A member of the crowd, who arrives at a moment. The same seed and index give the same life.
    init(index: Int, seed: UInt64, arrivesAt moment: Moment) {
        var random = SeededGenerator(seed: seed, stream: UInt64(index))
        let profile = CustomerProfile(index: index, random: &random)
        self.subscription = SubscriptionLife(
            profile: profile, buys: random.pick(ProductCatalog.subscriptions), at: moment, planner: .habits,
            random: SeededGenerator(seed: random.next()))
        if random.chance(150) {
            self.purchase = OneTimeLife(
                profile: profile, buys: random.pick(ProductCatalog.oneTimePurchases),
                at: moment + .hours(random.within(1...60 * 24)), random: SeededGenerator(seed: random.next()))
        }
    }

    /// One whose life has been written down.
    init(_ named: NamedCustomer, index: Int, seed: UInt64, simulationStart: Moment) {
        var random = SeededGenerator(seed: seed, stream: UInt64(index))
        self.subscription = SubscriptionLife(
            profile: CustomerProfile(index: index, random: &random), buys: named.product,
            at: simulationStart + named.arrivesAfter, planner: named.planner,
            random: SeededGenerator(seed: random.next()))
    }

    var nextDue: Moment? {
        [self.subscription.nextDue, self.purchase?.nextDue].compactMap { $0 }.min()
    }

    mutating func next() -> StoreNotification? {
        if let due = self.purchase?.nextDue, due == self.nextDue { return self.purchase?.next() }
        return self.subscription.next()
    }

    /// Of all that was bought so far.
    var truths: [Truth] {
        [self.subscription.truth, self.purchase?.truth].compactMap { $0 }.filter { !$0.changes.isEmpty }
    }
}
