import AppStoreSimulator

/// A customer with a name, and the id by which the app's backend knows them.
struct FollowedCustomer {
    let id: String
    let name: String
    let story: String
    /// Of their first subscription.
    let originalTransactionID: String

    /// The people of a scenario of one's own, and the first ones of the demo's.
    static func all(of scenario: Scenario, seed: UInt64) -> [FollowedCustomer] {
        let named = scenario.namedCustomers
        return named.prefix(scenario == .customers ? Scenario.followedCustomers : named.count).map {
            customer in
            FollowedCustomer(
                id: customer.customerID(seed: seed), name: customer.name, story: customer.story,
                originalTransactionID: customer.originalTransactionID)
        }
    }

    /// Whom to follow: id, name and story, one below the other.
    static func lines(_ customers: [FollowedCustomer]) -> [String] {
        let widths = [customers.map(\.id.count).max() ?? 0, customers.map(\.name.count).max() ?? 0]
        return customers.map { customer in
            let cells = zip([customer.id, customer.name], widths).map { cell, width in
                cell + String(repeating: " ", count: width - cell.count)
            }
            return "  " + (cells + [customer.story]).joined(separator: "  ")
        }
    }
}
