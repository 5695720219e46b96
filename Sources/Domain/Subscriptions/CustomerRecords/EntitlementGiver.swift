/// What gives a customer a name of the catalog.
package enum EntitlementGiver: Hashable, Sendable {
    case stream(StreamKey)
    /// - Parameter id: of the grant.
    case grant(id: String)
}
