public import Foundation

extension PerennialClient {
    /// What is known of a subscription or purchase at a moment.
    public struct Entitlement: Hashable, Sendable {
        /// In the words of the HTTP API.
        public enum State: String, Hashable, Sendable {
            case subscribed, grace, retry, expired, revoked
            /// A one-time purchase.
            case owned
        }

        /// Whether access is to be given. Never beyond ``validUntil``, even when nothing more is heard.
        public var isEntitled: Bool
        /// nil for what nobody ever bought.
        public var state: State?
        /// The App Store's product.
        public var productID: String?
        /// When access ends unless more is heard. A refund may end it before: ask each time, and never give access beyond.
        /// nil without access, and for a purchase without end.
        public var validUntil: Date?
        /// Of its events: a greater one is newer. 0 for what nobody ever bought.
        public var version: Int64
        /// Nodes have not been heard of for so long that there may be something newer.
        public var isStale: Bool
    }

    /// Where Apple's servers keep a transaction.
    public enum Environment: String, Hashable, Sendable {
        case production = "Production"
        case sandbox = "Sandbox"
    }
}
