import DequeModule
import Synchronization
package import WireProtocol

/// Sends the commands of many callers for one shard in batches: while earlier ones are under way the next batch gathers.
/// Each command gets its own outcome. Whoever finds room sends for all who wait, so no command waits for a timer.
package final class CommandBatcher: Sendable {
    /// - Returns: an outcome for each command, in order.
    package typealias Send = @Sendable (CommandBatch) async throws -> [[UInt8]]

    private enum Turn: Sendable {
        case settled(Result<[UInt8], any Error>)
        /// Send, for yourself and whoever waits.
        case send
    }

    private struct Waiting {
        var command: [UInt8]
        /// Unsafe means unchecked: each is taken out of the queue once, and resumed there.
        var waiter: UnsafeContinuation<Turn, Never>
    }

    private struct State {
        /// As they came.
        var waiting: Deque<Waiting> = []
        var batchesInFlight = 0
    }

    private let batchesInFlight: Int
    private let batchLimit: Int
    private let byteLimit: Int
    private let waitingLimit: Int
    private let traffic: BatchTraffic
    private let send: Send
    private let state = Mutex(State())

    /// - Parameters:
    ///   - batchesInFlight: so many may be under way.
    ///   - batchLimit: commands in one.
    ///   - byteLimit: of the commands in one; a command of more goes alone.
    ///   - waitingLimit: so many commands may wait for a batch; more are refused as `.overloaded`.
    ///   - traffic: shared with others that use the same connections; while there is much, one batch is under way here. It
    ///     bounds the bytes of those that wait, with the same refusal.
    ///   - send: is not to heed that its task is cancelled, since it sends for others.
    package init(
        batchesInFlight: Int, batchLimit: Int, byteLimit: Int = 1 << 20, waitingLimit: Int = 1_024,
        traffic: BatchTraffic = BatchTraffic(busyFrom: .max), send: @escaping Send
    ) {
        precondition(batchesInFlight > 0 && batchLimit > 0, "a batcher that could send nothing")
        self.batchesInFlight = batchesInFlight
        self.batchLimit = batchLimit
        self.byteLimit = byteLimit
        self.waitingLimit = waitingLimit
        self.traffic = traffic
        self.send = send
    }

    /// - Throws: what sending the batch threw, or `ClusterError` when the outcome of this command is missing.
    package func submit(_ command: [UInt8]) async throws -> [UInt8] {
        if !self.mayBegin() {
            let turn = await withUnsafeContinuation { self.wait(Waiting(command: command, waiter: $0)) }
            if case .settled(let result) = turn { return try result.get() }
        }
        return try await self.lead(command)
    }

    /// How many commands wait for a batch to be sent in.
    package var waitingCount: Int { self.state.withLock { $0.waiting.count } }

    private var batchesAllowed: Int { self.traffic.isBusy ? 1 : self.batchesInFlight }

    private func mayBegin() -> Bool {
        self.state.withLock { state in
            guard state.batchesInFlight < self.batchesAllowed else { return false }
            state.batchesInFlight += 1
            return true
        }
    }

    private func wait(_ waiting: Waiting) {
        let turn: Turn? = self.state.withLock { state in
            guard state.batchesInFlight >= self.batchesAllowed else {
                state.batchesInFlight += 1
                return .send
            }
            guard state.waiting.count < self.waitingLimit, self.traffic.beginWaiting(waiting.command.count) else {
                return .settled(.failure(ClusterError(.overloaded, "too many commands wait for another node")))
            }
            state.waiting.append(waiting)
            return nil
        }
        if let turn { waiting.waiter.resume(returning: turn) }
    }

    private func lead(_ own: [UInt8]) async throws -> [UInt8] {
        let (others, bytes) = self.state.withLock { state in
            var others: [Waiting] = []
            var bytes = 0
            while others.count < self.batchLimit - 1, let next = state.waiting.first,
                own.count + bytes + next.command.count <= self.byteLimit
            {
                bytes += next.command.count
                others.append(state.waiting.removeFirst())
            }
            return (others, bytes)
        }
        self.traffic.endWaiting(bytes)
        self.traffic.begin()
        let result = await self.outcomes(of: [own] + others.map(\.command))
        self.traffic.end()
        let next: Waiting? = self.state.withLock { state in
            // Where there is one too many by now, the other sends for those who wait.
            guard !state.waiting.isEmpty, state.batchesInFlight <= self.batchesAllowed else {
                state.batchesInFlight -= 1
                return nil
            }
            return state.waiting.removeFirst()
        }
        // First, so that the next batch is on its way while these are told.
        if let next {
            self.traffic.endWaiting(next.command.count)
            next.waiter.resume(returning: .send)
        }
        for (place, other) in others.enumerated() {
            other.waiter.resume(returning: .settled(result.map { $0[place + 1] }))
        }
        return try result.get()[0]
    }

    private func outcomes(of commands: [[UInt8]]) async -> Result<[[UInt8]], any Error> {
        do {
            let outcomes = try await self.send(CommandBatch(commands))
            guard outcomes.count == commands.count else {
                throw ClusterError(.malformed, "\(commands.count) commands have \(outcomes.count) outcomes")
            }
            return .success(outcomes)
        } catch {
            return .failure(error)
        }
    }
}
