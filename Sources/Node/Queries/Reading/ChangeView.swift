package import Entitlements
package import EventLog
package import ServiceContract
package import Subscriptions

/// One event as publishers tell it: what happened, and what a check said before and after.
package struct ChangeView: Hashable, Sendable {
    package var event: EventView
    /// What `current` of the stream's event before was; nil for the first, and for what no check asks about.
    package var previous: CheckAnswer?
    /// At the moment of the commit; nil for what no check asks about.
    package var current: CheckAnswer?

    /// A dotted word such as `subscription.entered_grace`: what it happened to, and the event's kind.
    package var type: String { self.event.event.kind.eventType(of: self.event.key.kind) }
}

extension Change {
    /// The word for it in change streams and webhooks, such as `subscription.entered_grace`.
    package func eventType(of kind: StreamKind) -> String { "\(kind.word).\(self.rawValue.snakeCased)" }
}

/// A subscription or purchase as it stands: what a stream of changes begins with.
package struct StandingView: Hashable, Sendable {
    package var key: StreamKey
    /// Of its newest event.
    package var version: StreamVersion
    package var current: CheckAnswer
}

extension StreamKind {
    /// In event types.
    package var word: String {
        switch self {
        case .subscription: "subscription"
        case .purchase: "purchase"
        case .massExtension: "mass_extension"
        case .externalPurchase: "external_purchase"
        case .appTransaction: "app_transaction"
        case .test: "test"
        case .customer: "customer"
        case .token: "token"
        case .account: "account"
        }
    }
}

extension String {
    /// Of a word in camel case.
    fileprivate var snakeCased: String {
        self.reduce(into: "") { word, letter in
            if letter.isUppercase { word.append("_") }
            word.append(contentsOf: letter.lowercased())
        }
    }
}
