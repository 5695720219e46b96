package import Subscriptions

/// Long work on the whole store: a row beside the log with a cursor. The owner of the shard of its id drives it, and whoever owns that
/// next goes on at the cursor.
package struct Job: Hashable, Sendable {
    package enum Kind: String, Sendable, CaseIterable, Codable {
        /// Tells of each stream whose answer changed rules have changed.
        case reevaluate
        /// Takes a deleted customer out of everything that names it.
        case erase
        /// Puts keyed hashes in the place of look-ups that earlier versions wrote in clear text.
        case convert
    }

    package enum State: String, Sendable, CaseIterable, Codable {
        case running, done, failed, cancelled
    }

    /// How far it has come: all before it has been dealt with.
    package struct Cursor: Hashable, Sendable, Codable {
        package var shard = 0
        /// The key of the stream that was dealt with last; nil at the beginning of the shard.
        package var key: [UInt8]?
    }

    package var id: String
    package var kind: Kind
    package var state = State.running
    /// The name of the API token that asked.
    package var actor: String?
    package var started: Moment
    package var ended: Moment?
    package var cursor = Cursor()
    /// Rows that were read, and `reevaluated` events that were counted, since it began anew, where it has; of `erase` the streams of the last
    /// pass, and those of all passes that named the customer; of `convert` look-ups.
    package var examined = 0
    package var changed = 0
    /// Streams whose owners answered `corrupt` or `parked`.
    package var skipped = 0
    /// Customers who were never told anything have what they have since before customers were told.
    package var isBaseline = false
    /// The settings of the node that began it, and the history of catalogs when it began, or began anew; of `reevaluate`.
    package var mark: RulesMark
    /// One sentence for people: why it failed, or what it waits for.
    package var message: String?

    package init(
        id: String, kind: Kind, actor: String?, started: Moment,
        mark: RulesMark = RulesMark(rules: 0, catalog: 0, history: 0)
    ) {
        self.id = id
        self.kind = kind
        self.actor = actor
        self.started = started
        self.mark = mark
    }
}
