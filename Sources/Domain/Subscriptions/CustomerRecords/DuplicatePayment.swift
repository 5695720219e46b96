/// Two payments of one customer for the same name of the catalog. Sandbox never makes one.
package struct DuplicatePayment: Hashable, Sendable {
    /// What is paid for: a subscription or purchase, or a grant that renews elsewhere.
    package struct Side: Hashable, Sendable {
        package var by: EntitlementGiver
        /// nil for a grant.
        package var productID: String?

        package init(_ by: EntitlementGiver, productID: String? = nil) {
            self.by = by
            self.productID = productID
        }
    }

    /// The first name of the catalog that both gave when this was found.
    package var entitlement: String
    /// When this was found.
    package var since: Moment
    package var first: Side
    package var second: Side

    package init(_ entitlement: String, since: Moment, _ first: Side, _ second: Side) {
        self.entitlement = entitlement
        self.since = since
        self.first = first
        self.second = second
    }

    /// The same two pay twice, whichever is named first.
    package func isOfSamePair(as other: Self) -> Bool {
        let (own, others) = ((self.first.by, self.second.by), (other.first.by, other.second.by))
        return own == others || own == (others.1, others.0)
    }
}
