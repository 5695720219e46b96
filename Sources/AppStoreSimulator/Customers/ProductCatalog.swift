/// What the simulated app sells: two services with levels and periods in one group, a weekly one in another, and two
/// one-time purchases.
package enum ProductCatalog {
    package static let basicMonthly = Self.subscription("basic.monthly", price: 4_990, level: 2)
    package static let proMonthly = Self.subscription("pro.monthly", price: 9_990, level: 1, introductoryOffer: trial)
    package static let proYearly = Self.subscription(
        "pro.yearly", price: 79_990, level: 1, period: .years(1), introductoryOffer: trial)
    package static let newsWeekly = Self.subscription(
        "news.weekly", price: 1_990, group: "21000002", level: 1, period: .weeks(1), gracePeriod: .days(6))

    package static let subscriptions = [basicMonthly, proMonthly, proYearly, newsWeekly]
    package static let oneTimePurchases = [
        Product(id: "coins.100", price: 990, kind: .consumable),
        Product(id: "themes.forever", price: 19_990, kind: .nonConsumable),
    ]

    private static let trial = Offer(
        kind: .introductory, identifier: nil, discount: .freeTrial, period: .weeks(1), periods: 1, price: 0)
    private static let winBack = Offer(
        kind: .winBack, identifier: "winback.half", discount: .payAsYouGo, period: .months(1), periods: 2, price: 2_490)

    private static func subscription(
        _ id: String, price: Int64, group: String = "21000001", level: Int, period: CalendarPeriod = .months(1),
        introductoryOffer: Offer? = nil, gracePeriod: CalendarPeriod = .days(16)
    ) -> Product {
        let plan = SubscriptionPlan(
            group: group, level: level, period: period, introductoryOffer: introductoryOffer,
            winBackOffer: period == .months(1) ? winBack : nil, gracePeriod: gracePeriod)
        return Product(id: id, price: price, kind: .subscription(plan))
    }

    /// The product of the same group and period that is a level above or below; nil when there is none.
    static func neighbour(of product: Product, higher: Bool) -> Product? {
        guard case .subscription(let plan) = product.kind else { return nil }
        return self.subscriptions.first { other in
            guard case .subscription(let otherPlan) = other.kind else { return false }
            return otherPlan.group == plan.group && otherPlan.period == plan.period
                && otherPlan.level == plan.level + (higher ? -1 : 1)
        }
    }
}
