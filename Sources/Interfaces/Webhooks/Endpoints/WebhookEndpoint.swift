import Queries
import SubscriptionService
package import Subscriptions

/// Somebody who is told of changes by HTTP. Kept as JSON under `webhook-endpoint/ID`, so a name here is a name there.
package struct WebhookEndpoint: Codable, Hashable, Sendable {
    package let id: String
    package var wish: Wish
    /// Newest first; all that have not run out sign.
    package var keys: [Key]
    /// Why nothing is sent; nil when all is well.
    package var disabled: String?
    /// Milliseconds since 1970.
    package let createdAt: Int64

    /// What its owner wants.
    package struct Wish: Codable, Hashable, Sendable {
        /// May hold a secret: it is shown to its owner alone, and never logged.
        package var url: String
        package var description: String
        package var format: Format
        /// Event types, or what they begin with and a star (`subscription.*`); none for all.
        package var types: [String]
        /// None for all.
        package var environments: [String]
        /// None for all.
        package var bundleIDs: [String]

        /// What is posted.
        package enum Format: String, Codable, CaseIterable, Sendable {
            /// A change in our words.
            case change
            /// The notification that brought it, as Apple posts it; what came otherwise is not sent.
            case original
        }

        package init(
            url: String, description: String = "", format: Format = .change, types: [String] = [],
            environments: [String] = [],
            bundleIDs: [String] = []
        ) {
            self.url = url
            self.description = description
            self.format = format
            self.types = types
            self.environments = environments
            self.bundleIDs = bundleIDs
        }
    }

    package struct Key: Codable, Hashable, Sendable {
        var text: String
        /// Milliseconds since 1970, when it stops signing; nil for the current one.
        package var until: Int64?

        package init(_ key: WebhookKey, until: Int64? = nil) {
            self.text = key.text
            self.until = until
        }

        package var key: WebhookKey? { WebhookKey(text: self.text) }
    }

    package init(id: String, wish: Wish, keys: [Key], disabled: String? = nil, createdAt: Int64) {
        self.id = id
        self.wish = wish
        self.keys = keys
        self.disabled = disabled
        self.createdAt = createdAt
    }

    /// - Parameter milliseconds: since 1970.
    package func keys(at milliseconds: Int64) -> [WebhookKey] {
        self.keys.filter { $0.until ?? .max > milliseconds }.compactMap(\.key)
    }
}

extension WebhookEndpoint.Wish {
    /// Whether an event of this stream is wanted, if its type is.
    package func includes(_ key: StreamKey) -> Bool {
        (self.environments.isEmpty || self.environments.contains(key.environment.rawValue))
            && (self.bundleIDs.isEmpty || self.bundleIDs.contains(key.bundleID.rawValue))
    }

    /// Whether a changed answer is wanted, if its type is: by the environment that was asked about, and the app of what gives it.
    package func includes(_ change: EntitlementChange) -> Bool {
        self.includes([change.current.by ?? change.previous?.by].compactMap(\.self), in: change.name.environment)
    }

    /// The same for a duplicate payment: by the apps of the two.
    package func includes(_ duplicate: DuplicatePayment) -> Bool {
        self.includes([duplicate.first.by, duplicate.second.by], in: .production)
    }

    /// What grants alone give is of every app.
    private func includes(_ givers: [EntitlementGiver], in environment: AppStoreEnvironment) -> Bool {
        let bundles = givers.compactMap { giver -> String? in
            if case .stream(let key) = giver { key.bundleID.rawValue } else { nil }
        }
        return (self.environments.isEmpty || self.environments.contains(environment.rawValue))
            && (self.bundleIDs.isEmpty || bundles.isEmpty || bundles.contains(where: self.bundleIDs.contains))
    }

    /// The type under which an event is told: of its changes the first that is wanted.
    /// - Parameter changes: the most important first.
    /// - Returns: nil when none is.
    package func type(of changes: [Change], in kind: StreamKind) -> String? {
        changes.lazy.map { $0.eventType(of: kind) }.first { type in
            self.types.isEmpty
                || self.types.contains { $0.hasSuffix("*") ? type.hasPrefix($0.dropLast()) : $0 == type }
        }
    }
}
