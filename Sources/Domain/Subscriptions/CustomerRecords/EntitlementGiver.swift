/// The stream or the grant by which a customer has an entitlement.
package enum EntitlementGiver: Hashable, Sendable {
    case stream(StreamKey)
    /// - Parameter id: of the grant.
    case grant(id: String)
}
