/// What the node says of a customer's subscription at one moment, and what it recorded since it was last asked.
package struct CustomerAnswer: Hashable, Sendable {
    package var asOf = ""
    package var version = 0
    /// nil as long as the node knows nothing.
    package var state: String?
    package var entitled = false
    package var validUntil: String?
    package var autoRenew: Bool?
    package var awaitingRenewal = false
    package var productId: String?
    package var renewalProductId: String?
    package var offer: Offer?
    package var priceIncrease: String?
    package var expirationIntent: String?
    package var revocation: Revocation?
    /// All changes of the events since the last answer, oldest first.
    package var news: [String] = []

    package struct Offer: Hashable, Sendable {
        package var type: String?
        package var discount: String?

        package init(type: String?, discount: String? = nil) {
            self.type = type
            self.discount = discount
        }
    }

    package struct Revocation: Hashable, Sendable {
        package var reason: String?
        package var type: String?

        package init(reason: String? = nil, type: String? = nil) {
            self.reason = reason
            self.type = type
        }
    }

    package init() {}

    /// - Parameter fields: a subscription as the node's HTTP API gives it.
    package init(_ fields: JSONFragment) {
        let values = Dictionary(fields.members.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
        self.asOf = values["asOf"]?.plain ?? ""
        self.version = values["version"]?.plain.flatMap(Int.init) ?? 0
        self.state = values["state"]?.plain
        self.entitled = values["entitled"]?.plain == "true"
        self.validUntil = values["validUntil"]?.plain
        self.autoRenew = values["autoRenew"]?.plain.map { $0 == "true" }
        self.awaitingRenewal = values["awaitingRenewal"]?.plain == "true"
        self.productId = values["productId"]?.plain
        self.renewalProductId = values["renewalProductId"]?.plain
        self.priceIncrease = values["priceIncrease"]?.plain
        self.expirationIntent = values["expirationIntent"]?.plain
        self.offer = values["offer"].flatMap { offer in
            offer["type"].map { Offer(type: $0.plain, discount: offer["discount"]?.plain) }
        }
        self.revocation = values["revocation"].flatMap { revocation in
            revocation["date"].map { _ in
                Revocation(reason: revocation["reason"]?.plain, type: revocation["type"]?.plain)
            }
        }
    }

    /// Whether the two say the same, whenever they were given.
    package func saysTheSame(as other: CustomerAnswer) -> Bool {
        var other = other
        (other.asOf, other.news) = (self.asOf, self.news)
        return self == other
    }
}
