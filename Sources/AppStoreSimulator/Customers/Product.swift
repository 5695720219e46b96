/// Something the simulated app sells.
package struct Product: Hashable, Sendable {
    package let id: String
    /// Milliunits, in every storefront's own currency.
    package let price: Int64
    package let kind: Kind

    package enum Kind: Hashable, Sendable {
        case subscription(SubscriptionPlan)
        case consumable
        case nonConsumable
    }

    /// Apple's `type`.
    var type: String {
        switch self.kind {
        case .subscription: "Auto-Renewable Subscription"
        case .consumable: "Consumable"
        case .nonConsumable: "Non-Consumable"
        }
    }
}

/// What makes a product a subscription.
package struct SubscriptionPlan: Hashable, Sendable {
    package let group: String
    /// Of service within the group, as in App Store Connect: 1 is the highest.
    package let level: Int
    package let period: CalendarPeriod
    /// For the first purchase in the group.
    let introductoryOffer: Offer?
    /// For customers who have left.
    let winBackOffer: Offer?
    /// How long grace lasts where it is granted: 6 days for weekly products, 16 for the others.
    let gracePeriod: CalendarPeriod
}

/// A price for a limited number of periods.
package struct Offer: Hashable, Sendable {
    package enum Kind: Int64, Sendable {
        case introductory = 1
        case winBack = 4
    }

    package enum Discount: String, Sendable {
        case freeTrial = "FREE_TRIAL"
        case payAsYouGo = "PAY_AS_YOU_GO"
    }

    let kind: Kind
    /// nil for introductory offers, which have none.
    let identifier: String?
    let discount: Discount
    let period: CalendarPeriod
    /// How many periods in a row have it.
    let periods: Int
    /// Milliunits a period.
    let price: Int64

    /// What is left of it for the next renewal.
    var next: Offer? {
        guard self.periods > 1 else { return nil }
        return Offer(
            kind: self.kind, identifier: self.identifier, discount: self.discount, period: self.period,
            periods: self.periods - 1, price: self.price)
    }
}
