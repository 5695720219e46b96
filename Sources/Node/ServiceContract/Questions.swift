package import Subscriptions

/// Names a stream the way callers do: the bundle may be left out while the id is clear without it.
package struct StreamReference: Hashable, Sendable {
    /// `.subscription` or `.purchase`.
    package var kind: StreamKind
    /// An originalTransactionId.
    package var id: String
    package var environment: AppStoreEnvironment
    package var bundleID: BundleID?

    package init(
        kind: StreamKind = .subscription, id: String, environment: AppStoreEnvironment = .production,
        bundleID: BundleID? = nil
    ) {
        self.kind = kind
        self.id = id
        self.environment = environment
        self.bundleID = bundleID
    }
}

/// How current an answer has to be (contract: `consistency`). One node that owns every shard answers all three from
/// what is committed; `durable` makes a round trip to the store as well.
package enum Consistency: String, Sendable, CaseIterable {
    case local, owner, durable
}

package struct SubscriptionQuery: Hashable, Sendable {
    package var stream: StreamReference
    /// What was true then, by all we know now. Not in the future.
    package var at: Moment?
    /// What we would have answered then. Not in the future.
    package var knownAt: Moment?
    package var consistency: Consistency
    /// A token of an earlier answer: the answer is not older than it (`Perennial-At-Least`).
    package var atLeast: String?

    package init(
        stream: StreamReference, at: Moment? = nil, knownAt: Moment? = nil, consistency: Consistency = .owner,
        atLeast: String? = nil
    ) {
        self.stream = stream
        self.at = at
        self.knownAt = knownAt
        self.consistency = consistency
        self.atLeast = atLeast
    }
}

/// One question of a `check`: a stream, named as `StreamReference` does.
package struct CheckRequest: Hashable, Sendable {
    /// `.subscription` or `.purchase`.
    package var kind: StreamKind
    /// An originalTransactionId, as the bytes of its text: usually a piece of a request's body.
    package var id: ArraySlice<UInt8>
    package var environment: AppStoreEnvironment
    package var bundleID: BundleID?
    /// A name of the catalog; nil asks for the stream itself, whatever its product.
    package var entitlement: String?

    package init(
        _ kind: StreamKind, id: ArraySlice<UInt8>, environment: AppStoreEnvironment, bundleID: BundleID?,
        entitlement: String?
    ) {
        self.kind = kind
        self.id = id
        self.environment = environment
        self.bundleID = bundleID
        self.entitlement = entitlement
    }

    package init(stream: StreamReference, entitlement: String? = nil) {
        self.kind = stream.kind
        self.id = Array(stream.id.utf8)[...]
        self.environment = stream.environment
        self.bundleID = stream.bundleID
        self.entitlement = entitlement
    }
}
