package import ServiceContract
package import Subscriptions

/// Learns which streams Apple should be asked about.
package protocol DoubtListener: Sendable {
    /// Called for each committed change that leaves a doubt. It neither blocks nor fails.
    func raise(_ key: StreamKey, _ reason: AskReason)
}
