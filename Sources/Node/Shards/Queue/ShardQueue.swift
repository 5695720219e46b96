import Clustering
import DequeModule
import EventLog
import Ownership
import ServiceContract
import Subscriptions
import Synchronization
import Waiting
import WireProtocol

/// The commands of one shard in the order in which they came, bounded by count and bytes from their arrival to their
/// answer. One task takes them out, batch by batch, while at most `batchesInFlight` of its batches await their commit:
/// one in the commit under way, and one ready for the next, so that batches grow by themselves when commits are slow.
final class ShardQueue: Sendable {
    private static let batchesInFlight = 2

    private struct State {
        var waiting: Deque<Command> = []
        var count = 0
        var bytes = 0
        var inFlight = 0
        var batchLimit: Int
        /// As the shard's lifecycle has it.
        var intake = ShardLifecycle().intake
        /// The outcome of every command that comes; nil while they are taken.
        var refusal: SubmissionOutcome?
    }

    /// Commands to be answered, once nothing is locked any more.
    struct Refused {
        fileprivate var commands: Deque<Command>
        fileprivate var outcome: SubmissionOutcome
    }

    private let countLimit: Int
    private let byteLimit: Int
    private let batchLimit: Int
    private let headers: HeaderCache
    private let tombstones: Tombstones
    private let state: Mutex<State>
    private let changed = AsyncEvent()

    init(countLimit: Int, byteLimit: Int, batchLimit: Int, headers: HeaderCache, tombstones: Tombstones) {
        self.headers = headers
        self.tombstones = tombstones
        self.countLimit = countLimit
        self.byteLimit = byteLimit
        self.batchLimit = batchLimit
        self.state = Mutex(State(batchLimit: batchLimit))
    }

    // MARK: Coming in

    /// Answers `command` at once when it is over a bound, or the shard takes none.
    func enqueue(_ command: Command) {
        let refusal: SubmissionOutcome? = self.state.withLock { state in
            if let refusal = state.refusal { return refusal }
            guard state.count < self.countLimit, state.count == 0 || state.bytes + command.size <= self.byteLimit
            else { return .refused(.overloaded, message: "too many commands wait for this shard") }
            state.count += 1
            state.bytes += command.size
            state.waiting.append(command)
            return nil
        }
        if let refusal { command.answer(refusal) } else { self.changed.signal() }
    }

    /// `Submission`s of another node, in their order.
    func enqueue(_ batch: CommandBatch) -> EventualOutcomes {
        let outcomes = EventualOutcomes(count: batch.items.count)
        for (place, item) in batch.items.enumerated() {
            do {
                let submission = try self.headers.submission(item)
                self.enqueue(Command(submission: submission, waiter: .place(place, of: outcomes)))
            } catch {
                outcomes.put(.unreadable, at: place)
            }
        }
        return outcomes
    }

    /// Back to the front, in order, whatever the bounds: they were never released.
    func putBack(_ commands: [Command]) {
        self.state.withLock { $0.waiting.prepend(contentsOf: commands) }
        self.changed.signal()
    }

    // MARK: Going out

    /// The next batch, never empty; nil once the queue ends and everything is answered. The batch is in flight
    /// until `batchEnded()`.
    func next() async -> [Command]? {
        while true {
            switch self.take() {
            case .batch(let batch):
                if let rest = self.withoutDeleted(batch) { return rest }
                self.batchEnded()
            case .wait: await self.changed.wait()
            case .end: return nil
            }
        }
    }

    /// Refuses commands that name a customer being deleted, and removes buried identifiers from the rest.
    /// - Returns: nil if no command is left.
    private func withoutDeleted(_ batch: [Command]) -> [Command]? {
        guard !self.tombstones.isEmpty else { return batch }
        let rest = batch.compactMap { command -> Command? in
            guard let submission = command.submission else { return command }
            if let refusal = self.tombstones.refusal(of: submission) {
                self.answer(command, with: refusal)
                return nil
            }
            return command.with(self.tombstones.strip(submission))
        }
        return rest.isEmpty ? nil : rest
    }

    private enum Taking {
        case batch([Command]), wait, end
    }

    private func take() -> Taking {
        self.state.withLock { state in
            if state.intake.isEnding, state.waiting.isEmpty, state.inFlight == 0 { return .end }
            guard state.intake.waiting != .held, !state.waiting.isEmpty, state.inFlight < Self.batchesInFlight else {
                return .wait
            }
            let batch = Array(state.waiting.prefix(state.batchLimit))
            state.waiting.removeFirst(batch.count)
            state.inFlight += 1
            return .batch(batch)
        }
    }

    func batchEnded() {
        self.state.withLock { $0.inFlight -= 1 }
        self.changed.signal()
    }

    /// Answers `command` and gives its room to others.
    func answer(_ command: Command, with outcome: SubmissionOutcome) {
        self.state.withLock { state in
            state.count -= 1
            state.bytes -= command.size
        }
        command.answer(outcome)
    }

    // MARK: Batch size

    /// A batch of `count` could not be stored as a whole: smaller ones find out which command is to blame.
    func narrow(after count: Int) { self.state.withLock { $0.batchLimit = max(1, count / 2) } }

    func widen() { self.state.withLock { $0.batchLimit = min(self.batchLimit, $0.batchLimit * 2) } }

    // MARK: Life cycle

    /// Takes what the shard's lifecycle says from here on.
    /// - Parameter loss: the reason for `.lost`.
    /// - Returns: what has to be answered; to be passed to `answer(_:)`.
    func set(_ intake: ShardIntake, loss: StoreError?) -> Refused? {
        defer { self.changed.signal() }
        return self.state.withLock { state in
            state.intake = intake
            state.refusal = intake.refusal.map { SubmissionOutcome($0, loss: loss) }
            guard case .refused(let refusal) = intake.waiting else { return nil }
            defer { state.waiting = [] }
            return Refused(commands: state.waiting, outcome: SubmissionOutcome(refusal, loss: loss))
        }
    }

    func answer(_ refused: Refused) {
        for command in refused.commands { self.answer(command, with: refused.outcome) }
    }

    /// Nothing is in flight.
    var isIdle: Bool { self.state.withLock { $0.inFlight == 0 } }
}

extension SubmissionOutcome {
    /// - Parameter loss: the reason for `.lost`.
    fileprivate init(_ refusal: ShardIntake.Refusal, loss: StoreError?) {
        self =
            switch refusal {
            case .leaving: .refused(.notOwner, message: "another node will own the shard")
            case .elsewhere: SubmissionOutcome(.elsewhere)
            case .stopping: .refused(.stopping, message: "the node is shutting down")
            case .lost: SubmissionOutcome(loss.map { ServiceError($0) } ?? .elsewhere)
            }
    }
}

extension ServiceError {
    static var elsewhere: ServiceError { ServiceError(.notOwner, "another node owns the shard") }
}
