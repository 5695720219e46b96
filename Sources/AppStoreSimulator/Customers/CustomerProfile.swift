/// What the store knows of one customer from the start.
struct CustomerProfile: Sendable {
    /// The customer's number in the simulation, from 0.
    let index: Int
    let storefront: Storefront
    let appTransactionID: String
    /// Apps that give none are as real as those that do.
    let appAccountToken: String?
    let bundleVersion: String

    init(index: Int, random: inout SeededGenerator) {
        self.index = index
        self.storefront = random.pick(Storefront.all)
        self.appTransactionID = "\(random.within(700_000_000_000_000_000...799_999_999_999_999_999))"
        let token = random.uuid()
        self.appAccountToken = random.chance(600) ? token : nil
        self.bundleVersion = "\(random.within(400...429))"
    }

    /// Ids are a function of the customer's number, so that they are unique whoever lives first.
    static func transactionID(_ number: Int, ofCustomer index: Int) -> String {
        "\(2_000_000_000_000_000 + index * 10_000 + number)"
    }

    func transactionID(_ number: Int) -> String { Self.transactionID(number, ofCustomer: self.index) }

    func webOrderLineItemID(_ number: Int) -> String { "\(2_000_000_000_000 + self.index * 10_000 + number)" }
}

/// A country's store.
struct Storefront: Sendable {
    /// ISO 3166-1 alpha-3.
    let country: String
    let id: String
    let currency: String

    static let all = [
        Storefront(country: "USA", id: "143441", currency: "USD"),
        Storefront(country: "DEU", id: "143443", currency: "EUR"),
        Storefront(country: "FRA", id: "143442", currency: "EUR"),
        Storefront(country: "GBR", id: "143444", currency: "GBP"),
    ]
}
