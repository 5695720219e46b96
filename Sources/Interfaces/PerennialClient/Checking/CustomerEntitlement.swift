public import Foundation

extension PerennialClient {
    /// What a customer may use at a moment.
    public struct CustomerEntitlement: Hashable, Sendable {
        /// In the words of the HTTP API.
        public enum State: String, Hashable, Sendable {
            case subscribed, grace, retry, expired, revoked
            /// By a one-time purchase.
            case owned
            /// By a grant of the publisher's.
            case granted
        }

        /// Whether access is to be given. Never beyond ``validUntil``, even when nothing more is heard.
        public var isEntitled: Bool
        /// The name asked about; where none was, the best that the customer has.
        public var entitlement: String?
        /// nil where the customer never had anything of it.
        public var state: State?
        /// The App Store's product that gives it, or gave it last; nil for a grant.
        public var productID: String?
        /// When access ends unless more is heard; nil without access, and where it has no end.
        public var validUntil: Date?
        /// Of what gives it (`entitlements.catalog`): more is better; nil without access.
        public var rank: Int?
        /// Of what gives it; nil without access.
        public var environment: Environment?
        /// Apple is still being asked about something that the answer rests on.
        public var isIncomplete: Bool
        /// Everything of the customer has been moved to another one: ask about that.
        public var hasMoved: Bool
        /// Nodes have not been heard of for so long that there may be something newer.
        public var isStale: Bool
    }
}
