/// Somebody at the publisher's asks to change what a customer's own stream keeps.
package struct CustomerRequest: Hashable, Sendable {
    package enum Content: Hashable, Sendable {
        /// To make the grant. One that has the id already and says the same fulfils the request.
        /// - Parameters:
        ///   - startsNow: in place of its `from`.
        ///   - replaces: the grant takes the place of one that has its id.
        case grant(Grant, startsNow: Bool, replaces: Bool)
        /// To take the grant of this id back.
        case revoke(grant: String)
        /// To set attributes; nil removes one.
        case set([String: AttributeValue?])
    }

    package var customer: CustomerID
    package var content: Content
    /// The name of the API token that asks.
    package var actor: String?

    package init(_ customer: CustomerID, _ content: Content, actor: String? = nil) {
        self.customer = customer
        self.content = content
        self.actor = actor
    }
}
