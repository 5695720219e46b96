import AppStoreSimulator

extension NamedCustomer {
    /// By which the server of the app knows them.
    var userID: String { self.name.lowercased() }

    /// Whom to follow: id, name and story, one below the other.
    static func lines(_ customers: [NamedCustomer]) -> [String] {
        let width = customers.map(\.name.count).max() ?? 0
        return customers.map { customer in
            let name = customer.name + String(repeating: " ", count: width - customer.name.count)
            return "  \(customer.originalTransactionID)  \(name)  \(customer.story)"
        }
    }
}
