import Subscriptions

/// What the store knows of one customer from the start.
package struct CustomerProfile: Hashable, Sendable {
    /// The customer's number in the simulation, from 0.
    let index: Int
    let storefront: Storefront
    package let appTransactionID: String
    /// Apps that give none are as real as those that do. Never there for what a family shares.
    package private(set) var appAccountToken: String?
    let bundleVersion: String
    /// When they got the app; nil where that is the first purchase.
    var arrival: Moment?
    /// Where they buy, if that is not where the simulated app sells.
    var environment: AppStoreEnvironment?

    package init(index: Int, random: inout SeededGenerator) {
        let token = Self.drawToken(&random)
        self.init(
            index: index, storefront: random.pick(Storefront.all), appTransactionID: Self.drawID(&random),
            appAccountToken: token, bundleVersion: "\(random.within(400...429))")
    }

    private init(
        index: Int, storefront: Storefront, appTransactionID: String, appAccountToken: String?, bundleVersion: String
    ) {
        self.index = index
        self.storefront = storefront
        self.appTransactionID = appTransactionID
        self.appAccountToken = appAccountToken
        self.bundleVersion = bundleVersion
    }

    /// Somebody of the same family, with an account of their own.
    func relative(_ random: inout SeededGenerator) -> CustomerProfile {
        var relative = CustomerProfile(
            index: self.index, storefront: self.storefront, appTransactionID: Self.drawID(&random),
            appAccountToken: nil, bundleVersion: self.bundleVersion)
        relative.environment = self.environment
        return relative
    }

    /// The same person, who buys with this token, or with none.
    func buying(with token: String?) -> CustomerProfile {
        var profile = self
        profile.appAccountToken = token
        return profile
    }

    private static func drawToken(_ random: inout SeededGenerator) -> String? {
        let token = random.uuid()
        return random.chance(600) ? token : nil
    }

    private static func drawID(_ random: inout SeededGenerator) -> String {
        "\(random.within(700_000_000_000_000_000...799_999_999_999_999_999))"
    }
}

/// Ids are a function of the customer's number, so that they are unique whoever lives first.
struct TransactionNumbers: Hashable, Sendable {
    private let index: Int
    private let chain: Int
    private let base: Int

    /// - Parameters:
    ///   - chain: which of the customer's subscriptions, 0…8.
    ///   - account: 0 for the purchaser, 1…5 for those they share with.
    init(customer index: Int, chain: Int, account: Int) {
        self.index = index
        self.chain = chain
        self.base = index * 1_000_000 + chain * 100_000 + account * 10_000
    }

    /// Of what is bought once.
    static func oneTime(customer index: Int) -> TransactionNumbers {
        TransactionNumbers(customer: index, chain: 9, account: 0)
    }

    /// The numbers of another account of the same chain.
    func account(_ account: Int) -> TransactionNumbers {
        TransactionNumbers(customer: self.index, chain: self.chain, account: account)
    }

    private static let first = 2_000_000_000_000_000

    /// - Parameter number: from 1.
    func transactionID(_ number: Int) -> String { "\(Self.first + self.base + number)" }

    /// Whose account, in which chain: the same for every transaction of a subscription, and one for all that a customer
    /// bought once. nil for what is no id of this store.
    static func account(ofTransaction id: String) -> Int? {
        guard let number = Int(id), number > Self.first, "\(number)" == id else { return nil }
        return (number - Self.first) / 10_000
    }

    /// Which customer an account belongs to.
    static func customer(ofAccount account: Int) -> Int { account / 100 }

    func webOrderLineItemID(_ number: Int) -> String { "\(2_000_000_000_000 + self.base + number)" }
}

/// A country's store.
struct Storefront: Hashable, Sendable {
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
