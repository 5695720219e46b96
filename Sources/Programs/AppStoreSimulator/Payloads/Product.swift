/// Something the simulated app sells.
package struct Product: Hashable, Sendable {
    package let id: String
    /// Milliunits, in every storefront's own currency.
    package let price: Int64
    package let kind: Kind

    package init(id: String, price: Int64, kind: Kind) {
        self.id = id
        self.price = price
        self.kind = kind
    }

    package enum Kind: Hashable, Sendable {
        case subscription(SubscriptionPlan)
        case consumable
        case nonConsumable
        case nonRenewing
    }

    /// Apple's `type`.
    package var type: String {
        switch self.kind {
        case .subscription: "Auto-Renewable Subscription"
        case .consumable: "Consumable"
        case .nonConsumable: "Non-Consumable"
        case .nonRenewing: "Non-Renewing Subscription"
        }
    }

    package var plan: SubscriptionPlan? {
        guard case .subscription(let plan) = self.kind else { return nil }
        return plan
    }
}

/// What makes a product a subscription.
package struct SubscriptionPlan: Hashable, Sendable {
    package let group: String
    /// Of service within the group, as in App Store Connect: 1 is the highest.
    package let level: Int
    package let period: CalendarPeriod
    package let offers: [Offer]
    /// Periods that a customer commits to when they are paid one by one (`billingPlanType` MONTHLY); nil without.
    package let commitment: Int?
    package let isFamilyShareable: Bool

    package init(
        group: String, level: Int, period: CalendarPeriod, offers: [Offer] = [], commitment: Int? = nil,
        isFamilyShareable: Bool = false
    ) {
        self.group = group
        self.level = level
        self.period = period
        self.offers = offers
        self.commitment = commitment
        self.isFamilyShareable = isFamilyShareable
    }

    /// For the first purchase in the group.
    package var introductoryOffer: Offer? { self.offers.first { $0.kind == .introductory } }

    package func offer(_ identifier: String) -> Offer? { self.offers.first { $0.identifier == identifier } }
}

/// A price for a limited number of periods.
package struct Offer: Hashable, Sendable {
    /// Apple's `offerType`.
    package enum Kind: Int64, Sendable, CaseIterable {
        case introductory = 1
        case promotional = 2
        case offerCode = 3
        case winBack = 4
    }

    /// Apple's `offerDiscountType`.
    package enum Discount: String, Sendable, CaseIterable {
        case freeTrial = "FREE_TRIAL"
        case payAsYouGo = "PAY_AS_YOU_GO"
        case payUpFront = "PAY_UP_FRONT"
    }

    package let kind: Kind
    /// nil for introductory offers, which have none.
    package let identifier: String?
    package let discount: Discount
    package let period: CalendarPeriod
    /// How many periods in a row have it.
    package let periods: Int
    /// Milliunits a period.
    package let price: Int64

    package init(
        kind: Kind, identifier: String?, discount: Discount, period: CalendarPeriod, periods: Int = 1, price: Int64
    ) {
        self.kind = kind
        self.identifier = identifier
        self.discount = discount
        self.period = period
        self.periods = periods
        self.price = price
    }

    /// What is left of it for the next renewal.
    var next: Offer? {
        guard self.periods > 1 else { return nil }
        return Offer(
            kind: self.kind, identifier: self.identifier, discount: self.discount, period: self.period,
            periods: self.periods - 1, price: self.price)
    }
}
