import AppStoreSimulator

extension NamedCustomer {
    /// Whom to follow: id, name and story, one below the other.
    static func lines(_ customers: [NamedCustomer]) -> [String] {
        let width = customers.map(\.name.count).max() ?? 0
        return customers.map { customer in
            let name = customer.name + String(repeating: " ", count: width - customer.name.count)
            return "  \(customer.originalTransactionID)  \(name)  \(customer.story)"
        }
    }
}
