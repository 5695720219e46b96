/// A customer with a name and a written life, for people to follow. They are the first of every simulation, so their ids
/// are always the same.
package struct NamedCustomer: Hashable, Sendable {
    package let name: String
    /// One line: what happens to them.
    package let story: String
    /// Of the first subscription they buy.
    package let originalTransactionID: String
    /// By which the publisher knows them; nil where it is the token that they buy with, or else their name.
    private let givenID: String?
    private let index: Int

    package init(
        name: String, story: String, originalTransactionID: String, customerID: String? = nil, index: Int = 0
    ) {
        self.name = name
        self.story = story
        self.originalTransactionID = originalTransactionID
        self.givenID = customerID
        self.index = index
    }

    /// By which the publisher knows them in a simulation of this seed.
    package func customerID(seed: UInt64) -> String {
        if let givenID { return givenID }
        var random = SeededGenerator(seed: seed, stream: UInt64(self.index))
        return CustomerProfile(index: self.index, random: &random).appAccountToken ?? self.name.lowercased()
    }
}

extension Scenario {
    package var namedCustomers: [NamedCustomer] {
        self.people.enumerated().map { index, person in
            NamedCustomer(
                name: person.name, story: person.story,
                originalTransactionID: TransactionNumbers(customer: index, chain: 0, account: 0).transactionID(1),
                customerID: person.saysItsToken ? person.knownAs : nil, index: index)
        }
    }
}
