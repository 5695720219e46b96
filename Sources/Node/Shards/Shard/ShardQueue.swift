import Clustering
import DequeModule
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
        /// Until the shard is owned, and while it is frozen.
        var isPaused = true
        /// Why nothing is taken.
        var refusal: SubmissionOutcome?
        /// Nothing will be taken any more.
        var isClosed = false
    }

    private let countLimit: Int
    private let byteLimit: Int
    private let batchLimit: Int
    private let headers: HeaderMemory
    private let state: Mutex<State>
    private let wake = Wake()

    init(countLimit: Int, byteLimit: Int, batchLimit: Int, headers: HeaderMemory) {
        self.headers = headers
        self.countLimit = countLimit
        self.byteLimit = byteLimit
        self.batchLimit = batchLimit
        self.state = Mutex(State(batchLimit: batchLimit))
    }

    // MARK: Coming in

    /// Answers `command` at once when it is over a bound or the queue is closed.
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
        if let refusal { command.answer(refusal) } else { self.wake.signal() }
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
        self.wake.signal()
    }

    // MARK: Going out

    /// The next batch, never empty; nil once the queue is closed and everything is answered. The batch is in flight
    /// until `batchEnded()`.
    func next() async -> [Command]? {
        while true {
            switch self.take() {
            case .batch(let batch): return batch
            case .wait: await self.wake.wait()
            case .end: return nil
            }
        }
    }

    private enum Taking {
        case batch([Command]), wait, end
    }

    private func take() -> Taking {
        self.state.withLock { state in
            if state.isClosed, state.waiting.isEmpty, state.inFlight == 0 { return .end }
            guard !state.isPaused, !state.waiting.isEmpty, state.inFlight < Self.batchesInFlight else { return .wait }
            let batch = Array(state.waiting.prefix(state.batchLimit))
            state.waiting.removeFirst(batch.count)
            state.inFlight += 1
            return .batch(batch)
        }
    }

    func batchEnded() {
        self.state.withLock { $0.inFlight -= 1 }
        self.wake.signal()
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

    func pause() { self.state.withLock { $0.isPaused = true } }

    /// The shard is owned.
    func resume() {
        self.state.withLock { state in
            state.isPaused = false
            if !state.isClosed { state.refusal = nil }
        }
        self.wake.signal()
    }

    /// Takes nothing until it is resumed, and answers all that waits; what is in flight is still worked off.
    func refuse(with refusal: SubmissionOutcome) {
        let waiting = self.state.withLock { state in
            if !state.isClosed { state.refusal = refusal }
            defer { state.waiting = [] }
            return state.waiting
        }
        for command in waiting { self.answer(command, with: refusal) }
        self.wake.signal()
    }

    /// Takes commands after all, whether it is paused or not, unless it refuses them with something else by now.
    func readmit(refusedWith refusal: SubmissionOutcome) {
        self.state.withLock { state in
            if !state.isClosed, state.refusal == refusal { state.refusal = nil }
        }
    }

    /// Nothing is in flight.
    var isIdle: Bool { self.state.withLock { $0.inFlight == 0 } }

    /// Takes nothing more; what is in it is still worked off.
    func close(with closure: SubmissionOutcome) {
        self.state.withLock { state in
            if state.isClosed { return }
            state.refusal = closure
            state.isClosed = true
        }
        self.wake.signal()
    }

    /// Takes nothing more, and answers all that waits: there is nobody to work it off.
    func abandon(with closure: SubmissionOutcome) {
        self.close(with: closure)
        self.refuse(with: closure)
    }
}
