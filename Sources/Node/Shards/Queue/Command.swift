import Clustering
import EventLog
import ServiceContract
import Subscriptions
import WireProtocol

/// One thing that a shard was asked to do, and who waits for the answer. Answered exactly once.
struct Command: Sendable {
    enum Content: Sendable {
        case submission(Submission)
        /// The stream's `nextDue` has come.
        case timer
    }

    let key: StreamKey
    let keyBytes: [UInt8]
    let content: Content
    /// What it holds of the queue's byte bound.
    let size: Int
    private let waiter: Waiter

    enum Waiter: Sendable {
        case task(CheckedContinuation<SubmissionOutcome, Never>)
        /// A caller on another node, whose commands came as a batch.
        case place(Int, of: EventualOutcomes)
    }

    init(submission: Submission, waiter: Waiter) {
        self.key = submission.key
        self.keyBytes = submission.key.bytes
        self.content = .submission(submission)
        self.size = 1_024 + (submission.evidence?.body.count ?? 0)
        self.waiter = waiter
    }

    init(timerOf key: StreamKey, waiter: Waiter) {
        self.key = key
        self.keyBytes = key.bytes
        self.content = .timer
        self.size = 0
        self.waiter = waiter
    }

    private init(_ command: Command, _ submission: Submission) {
        self.key = command.key
        self.keyBytes = command.keyBytes
        self.content = .submission(submission)
        self.size = command.size
        self.waiter = command.waiter
    }

    /// The same command with less in it.
    func with(_ submission: Submission) -> Command { Command(self, submission) }

    func answer(_ outcome: SubmissionOutcome) {
        switch self.waiter {
        case .task(let task): task.resume(returning: outcome)
        case .place(let place, let outcomes): outcomes.put(outcome, at: place)
        }
    }

    /// nil of a timer.
    var submission: Submission? {
        guard case .submission(let submission) = self.content else { return nil }
        return submission
    }

    /// Timers have none before they are decided.
    var dedupKey: [UInt8]? { self.submission?.bundle.dedupKey }
}

extension EventualOutcomes {
    func put(_ outcome: SubmissionOutcome, at place: Int) { self.put(outcome.wireBytes(), at: place) }
}
