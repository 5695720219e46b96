import Subscriptions

/// A customer with a name and a written life, for people to follow in a demo. They are the first of every simulation,
/// so their ids are always the same.
package struct NamedCustomer: Sendable {
    package let name: String
    /// One line: what happens to them.
    package let story: String
    package let originalTransactionID: String
    let product: Product
    let arrivesAfter: Milliseconds
    let planner: Planner

    package static let all = [
        NamedCustomer(
            0, "Anna", "tries pro.monthly for a week, then stays", ProductCatalog.proMonthly,
            arrivesAfter: .minutes(1)),
        NamedCustomer(
            1, "Ben", "his card fails at every fifth renewal; he pays within the grace period",
            ProductCatalog.basicMonthly,
            arrivesAfter: .days(14),
            .script(
                [],
                thenRepeating: [
                    PeriodPlan(), PeriodPlan(), PeriodPlan(), PeriodPlan(),
                    PeriodPlan(charge: .fails(.paid(after: .days(13)))),
                ])),
        NamedCustomer(
            2, "Clara", "gets the third month's money back, and is gone", ProductCatalog.basicMonthly,
            arrivesAfter: .days(20),
            .script(
                [PeriodPlan(), PeriodPlan(), PeriodPlan(deeds: [.init(permille: 300, act: .askForRefund)])],
                thenRepeating: [])),
        NamedCustomer(
            3, "David", "leaves by choice, comes back a month later, again and again", ProductCatalog.proMonthly,
            arrivesAfter: .days(5),
            .script(
                [],
                thenRepeating: [
                    PeriodPlan(),
                    PeriodPlan(deeds: [.init(permille: 500, act: .turnOffRenewal)], returnsAfter: .days(30)),
                ])),
    ]

    private init(
        _ index: Int, _ name: String, _ story: String, _ product: Product, arrivesAfter: Milliseconds,
        _ planner: Planner = .script([], thenRepeating: [])
    ) {
        self.name = name
        self.story = story
        self.originalTransactionID = CustomerProfile.transactionID(1, ofCustomer: index)
        self.product = product
        self.arrivesAfter = arrivesAfter
        self.planner = planner
    }
}
