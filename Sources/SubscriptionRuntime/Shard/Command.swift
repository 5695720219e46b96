import EventSourcing
import Subscriptions

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
    private let waiter: CheckedContinuation<SubmissionOutcome, Never>

    init(submission: Submission, waiter: CheckedContinuation<SubmissionOutcome, Never>) {
        self.key = submission.key
        self.keyBytes = submission.key.bytes
        self.content = .submission(submission)
        self.size = 1_024 + (submission.evidence?.body.count ?? 0)
        self.waiter = waiter
    }

    init(timerOf key: StreamKey, waiter: CheckedContinuation<SubmissionOutcome, Never>) {
        self.key = key
        self.keyBytes = key.bytes
        self.content = .timer
        self.size = 0
        self.waiter = waiter
    }

    func answer(_ outcome: SubmissionOutcome) { self.waiter.resume(returning: outcome) }

    /// Timers have none before they are decided.
    var dedupKey: [UInt8]? {
        switch self.content {
        case .submission(let submission): submission.bundle.dedupKey
        case .timer: nil
        }
    }
}
