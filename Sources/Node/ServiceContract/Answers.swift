package import Entitlements
package import EventLog
package import Subscriptions

/// What became of a notification. Whatever the case, it is durable.
package enum IngestOutcome: Hashable, Sendable {
    /// Recorded now, as this version of its stream.
    case recorded(StreamVersion)
    /// Was recorded before, as this version.
    case duplicate(StreamVersion)
    /// Kept for the owner of its shard, who could not be had.
    case kept
    /// Authentic but not for this configuration; kept for a replay. `reason` is a word for programs.
    case quarantined(reason: String)
}

/// A subscription or purchase at a moment.
package struct SubscriptionView: Hashable, Sendable {
    package var key: StreamKey
    /// nil when the moment asked about lies before the first fact.
    package var snapshot: SubscriptionSnapshot?
    /// State and offer as one signed decimal (contract: `code`).
    package var code: String
    /// Of the newest event that the answer rests on; 0 when there was none.
    package var version: StreamVersion
    /// The moment for which the answer holds.
    package var asOf: Moment
    package var stale: Bool
    /// Opaque; for `atLeast`.
    package var token: String

    package init(
        key: StreamKey, snapshot: SubscriptionSnapshot?, code: String, version: StreamVersion, asOf: Moment,
        stale: Bool, token: String
    ) {
        self.key = key
        self.snapshot = snapshot
        self.code = code
        self.version = version
        self.asOf = asOf
        self.stale = stale
        self.token = token
    }
}

/// One event as it is shown.
package struct EventView: Hashable, Sendable {
    package var key: StreamKey
    package var shard: ShardID
    package var sequence: LogSequence
    package var version: StreamVersion
    /// Of the commit.
    package var at: Moment
    package var event: SubscriptionEvent
    /// The signed originals, only when they were asked for.
    package var evidence: Evidence?

    package init(
        key: StreamKey, shard: ShardID, sequence: LogSequence, version: StreamVersion, at: Moment,
        event: SubscriptionEvent, evidence: Evidence? = nil
    ) {
        self.key = key
        self.shard = shard
        self.sequence = sequence
        self.version = version
        self.at = at
        self.event = event
        self.evidence = evidence
    }
}

package struct EventPage: Hashable, Sendable {
    package var events: [EventView]
    /// Where to go on; nil at the end of a list. A change stream has no end: there it always is a cursor.
    package var next: String?

    package init(events: [EventView], next: String?) {
        self.events = events
        self.next = next
    }
}

/// The answer to one question of a `check`.
package enum CheckResult: Hashable, Sendable {
    case verdict(CheckVerdict)
    /// The question cannot be asked, e.g. `ambiguous`, or not be answered now. It keeps no other from its answer.
    case refused(ServiceError.Code)
}

package struct CheckVerdict: Hashable, Sendable {
    /// Why not, where the state alone does not say it.
    package enum Reason: String, Sendable, CaseIterable {
        case unknownSubscription
        case unknownPurchase
        /// The catalog does not give the entitlement asked for to this product.
        case otherProduct
        /// A consumable never gives access.
        case consumable

        /// What a state and its code say by themselves: of all that is known, only a consumable has the code 0.0.
        package init?(_ state: LifecycleState?, _ code: CohortCode) {
            guard state != nil, code == .nothing else { return nil }
            self = .consumable
        }
    }

    package var entitled: Bool
    /// nil for an unknown subscription or purchase.
    package var state: LifecycleState?
    package var code: CohortCode
    /// The answer may be used until then, never longer; nil when not entitled, and for a purchase without end.
    package var validUntil: Moment?
    package var productID: String?
    package var version: StreamVersion
    package var reason: Reason?
    /// The app of the stream that was found.
    package var bundleID: BundleID?

    package init(
        entitled: Bool, state: LifecycleState?, code: CohortCode, validUntil: Moment?, productID: String?,
        version: StreamVersion, reason: Reason?, bundleID: BundleID? = nil
    ) {
        self.entitled = entitled
        self.state = state
        self.code = code
        self.validUntil = validUntil
        self.productID = productID
        self.version = version
        self.reason = reason
        self.bundleID = bundleID
    }
}

package struct CheckResponse: Hashable, Sendable {
    /// One for each question, in its order.
    package var results: [CheckResult]
    package var asOf: Moment
    package var stale: Bool
    package var token: String

    package init(results: [CheckResult], asOf: Moment, stale: Bool, token: String) {
        self.results = results
        self.asOf = asOf
        self.stale = stale
        self.token = token
    }
}

/// Whether a node can do its work.
package struct Readiness: Hashable, Sendable {
    package enum Purpose: String, Sendable, CaseIterable {
        case ingest, reads
    }

    package var ready: Bool
    /// Sentences for people; empty when ready.
    package var reasons: [String]

    package init(ready: Bool, reasons: [String]) {
        self.ready = ready
        self.reasons = reasons
    }
}

/// What became of the rows of a replay.
package struct QuarantineReplay: Hashable, Sendable {
    /// Recorded, now or before, and gone from quarantine.
    package var applied = 0
    /// Still not for this configuration.
    package var kept = 0
    /// Could not be tried now; still there.
    package var failed = 0

    package init(applied: Int = 0, kept: Int = 0, failed: Int = 0) {
        self.applied = applied
        self.kept = kept
        self.failed = failed
    }
}

package struct ServiceStatistics: Hashable, Sendable {
    package var streams: Int
    package var events: Int
    package var quarantined: Int
    package var shardsOwned: Int
    package var timersOverdue: Int

    package init(streams: Int, events: Int, quarantined: Int, shardsOwned: Int, timersOverdue: Int) {
        self.streams = streams
        self.events = events
        self.quarantined = quarantined
        self.shardsOwned = shardsOwned
        self.timersOverdue = timersOverdue
    }
}

/// Why the state is what it is.
package struct Explanation: Hashable, Sendable {
    package var view: SubscriptionView
    /// Rule by rule, in the order in which they were asked.
    package var steps: [ExplanationStep]

    package init(view: SubscriptionView, steps: [ExplanationStep]) {
        self.view = view
        self.steps = steps
    }
}
