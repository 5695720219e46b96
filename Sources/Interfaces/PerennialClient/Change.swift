import Subscriptions

extension PerennialClient {
    /// Something has happened to a subscription or purchase.
    public struct Change: Sendable {
        /// Names it in Apple's words.
        public struct Subject: Hashable, Sendable {
            public var originalTransactionID: String
            /// `Production`, `Sandbox` …
            public var environment: String
            public var bundleID: String
            /// A one-time purchase, not a subscription.
            public var isPurchase: Bool
        }

        public var subject: Subject
        /// What is true of it from this change on, at the moment at which it was heard.
        public var entitlement: Entitlement
        /// To whom it may lead by now; nobody where customers are not followed. Who has lost it is told by ``ChangeEvent/customers(_:)``.
        public var customers: [CustomerKey]
    }

    /// Names a customer, of whom nothing but a hash is published. ``key(of:)`` gives that of an id.
    public struct CustomerKey: Hashable, Sendable {
        let hash: IdentifierHash
    }

    /// A place in the changes of all subscriptions, to be kept: whoever goes on after it (``PerennialClient/changes(after:)``)
    /// misses nothing. The same on every node.
    public struct ChangePosition: RawRepresentable, Hashable, Sendable {
        /// Opaque text: some 3 KB for 256 shards, 75 KB at most.
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }
    }

    /// What changes tell.
    public enum ChangeEvent: Sendable {
        case change(Change)
        /// What people at the publisher's have said of customers has changed their answers, or they were told that these have
        /// changed. Where customers are not followed there is none.
        case customers([CustomerKey])
        /// The store has lost changes that were told before, or is another one: what is known from them may never have been. Read
        /// anew what depends on it. Changes go on from where the store is.
        case rewound
    }
}
