package import Subscriptions

/// What has been said of one of the publisher's customers, as the simulation itself knows it. It shares no rule with
/// `Customers`.
struct CustomerTruth: Sendable {
    /// Since when anything is said of them.
    let since: Moment
    /// The `originalTransactionId`s of what was ever said to be theirs, in that order.
    var streams: [String] = []
    /// By id.
    var grants: [String: Timeline<SimulatedGrant>] = [:]
    /// Whose all of theirs is.
    var target = Timeline<String>()
    /// Who have been moved to them, in that order.
    var sources: [String] = []
}

/// Access that somebody has paid for on the web.
package struct SimulatedGrant: Hashable, Sendable {
    package let id: String
    package let entitlement: String
    package let from: Moment
    package let until: Moment
}
