/// A customer with a name and a written life, for people to follow. They are the first of every simulation, so their ids
/// are always the same.
package struct NamedCustomer: Hashable, Sendable {
    package let name: String
    /// One line: what happens to them.
    package let story: String
    /// Of the first subscription they buy.
    package let originalTransactionID: String

    package init(name: String, story: String, originalTransactionID: String) {
        self.name = name
        self.story = story
        self.originalTransactionID = originalTransactionID
    }
}

extension Scenario {
    package var namedCustomers: [NamedCustomer] {
        self.people.enumerated().map { index, person in
            NamedCustomer(
                name: person.name, story: person.story,
                originalTransactionID: TransactionNumbers(customer: index, chain: 0, account: 0).transactionID(1))
        }
    }
}
