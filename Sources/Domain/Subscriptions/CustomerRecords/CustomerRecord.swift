/// What an event of a customer's own stream says.
package struct CustomerRecord: Hashable, Sendable {
    package enum Content: Hashable, Sendable {
        /// The customer has this grant, in place of one of the same id.
        case granted(Grant)
        /// The grant of this id is taken back.
        case revoked(grant: String, at: Moment)
        /// New values by name; nil where the attribute is removed.
        case attributes([String: AttributeValue?])
    }

    /// nil once it has been erased.
    package var customer: CustomerID?
    package var content: Content
    /// Who has asked: the name of an API token.
    package var actor: String?

    package init(_ customer: CustomerID?, _ content: Content, actor: String? = nil) {
        self.customer = customer
        self.content = content
        self.actor = actor
    }
}
