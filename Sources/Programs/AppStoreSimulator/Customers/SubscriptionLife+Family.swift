import Subscriptions

/// Family sharing: members have subscriptions of their own that follow the purchaser's.
extension SubscriptionLife {
    private static let mostMembers = 5

    mutating func share(with members: Int, at moment: Moment) -> [StoreNotification] {
        guard self.isInService, self.members == 0, self.product.plan?.isFamilyShareable == true, members > 0 else {
            return []
        }
        self.members = min(members, Self.mostMembers)
        while self.accounts.count <= self.members { self.admitMember(self.accounts.count) }
        return (1...self.members).map { self.grant(to: $0, at: moment) }
    }

    private mutating func admitMember(_ number: Int) {
        self.accounts.append(
            SubscriptionAccount(
                profile: self.purchaser.profile.relative(&self.random), ownership: .familyShared,
                numbers: self.purchaser.numbers.account(number), random: SeededGenerator(seed: self.random.next())))
    }

    /// A member gets the rest of the purchaser's period.
    private mutating func grant(to index: Int, at moment: Moment) -> StoreNotification {
        let moment = self.accounts[index].opening(from: moment)
        let isFirst = self.accounts[index].transactions.isEmpty
        let terms = self.purchaser.renewal
        let period = SubscriptionAccount.NewPeriod(
            product: self.product, offer: nil, start: moment, end: self.end, reason: .purchase,
            price: self.newest.price, commitment: self.newest.commitment, advancedCommerce: self.advancedCommerce)
        return self.accounts[index].begin(
            period, following: terms, "SUBSCRIBED", isFirst ? "INITIAL_BUY" : "RESUBSCRIBE", at: moment)
    }

    mutating func unshare(at moment: Moment) -> [StoreNotification] {
        guard self.isInService else { return [] }
        return self.revokeMembers(reason: 0, at: moment)
    }

    /// One REVOKE per member; the reason is the purchaser's when it follows from a refund, else 0.
    mutating func revokeMembers(reason: Int64, at moment: Moment) -> [StoreNotification] {
        let members = self.members
        self.members = 0
        return (0..<members).map { $0 + 1 }.map { index in
            self.accounts[index].revoke(
                self.accounts[index].transactions.count - 1, .familyRevoke, reason: reason, percentage: nil, "REVOKE",
                at: moment)
        }
    }
}
