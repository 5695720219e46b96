import Customers
import EventLog
import ServiceContract
import Subscriptions
import WireProtocol

/// What one batch of a shard's commands comes to: decided, and waiting for its commit.
struct Commit: Sendable {
    /// A command and the answer it gets once the commit is durable.
    struct Decided: Sendable {
        var command: Command
        var outcome: SubmissionOutcome
    }

    /// A stream that the commit changes.
    struct Change: Sendable {
        var key: StreamKey
        /// As it was when the commit was decided.
        var before: StreamEntry
        var after: StreamEntry
        /// `after` as it is stored.
        var row: StreamRow
        /// Why Apple should be asked about the stream.
        var doubt: AskReason?

        /// What a customer was told changes no answer.
        var mayChangeAnswers: Bool {
            guard case .customer(let before)? = self.before.publisher, case .customer(let after)? = self.after.publisher
            else { return true }
            return !after.answersLike(before)
        }
    }

    var decided: [Decided]
    /// Commands that need no commit of their own, and rest on this one.
    var joined: [Decided] = []
    var changes: [[UInt8]: Change]
    /// Dedup keys of the submissions in it, with what came under them.
    var deliveries: [[UInt8]: Delivery]
    var lookups: [Lookup]
    /// It leaves something to do.
    var hasOutbox = false
    /// What each event leaves of its stream, in their order; empty where nobody listens.
    var images: [SubscriptionImage] = []
    /// Of the last event in it.
    var head: LogSequence
    var at: Moment

    /// All that are answered when it is durable.
    var waiting: [Decided] { self.decided + self.joined }
}

/// A submission that is stored or on its way to be.
package struct Delivery: Sendable {
    var contentDigest: PayloadDigest?
    var place: SubmissionOutcome.Place
}
