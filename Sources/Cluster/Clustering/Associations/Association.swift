import DequeModule
import EventLog
import Synchronization
import WireProtocol

/// This run's calls to one run of another node: numbered and bounded, gathered into frames that the reactor takes, and
/// answered, failed or given up exactly once each.
final class Association: Sendable {
    /// Unsafe means unchecked: the table gives each back once.
    typealias Waiter = UnsafeContinuation<RemoteReply.Outcome, any Error>

    private struct Outgoing {
        var writer: FrameWriter
        /// Of the newest call in it.
        var lastID: UInt64 = 0
        /// There is more in it than commands.
        var isUrgent = false
    }

    private struct State: ~Copyable {
        var calls: CallTable<Waiter>
        var frames: Deque<Outgoing> = []
        /// In `frames`; what no caller waits for any more is among it.
        var unsentBytes = 0
        var pacing: CommandPacing
        var closure: ClusterError?
        /// nil while there is a connection.
        var disconnected: ContinuousClock.Instant? = .now
    }

    let peer: Peer
    private let header: FrameHeader
    private let limits: CallTable<Waiter>.Limits
    private let connectPatience: Duration
    private let sizes: MessageSizes
    private let wake: @Sendable () -> Void
    private let state: Mutex<State>

    /// - Parameters:
    ///   - generation: how many associations this run has made, this one included.
    ///   - connectPatience: after so long without a connection, calls are refused at once.
    ///   - commandPatience: see `ClusterConfiguration`.
    ///   - wake: makes the reactor take what there is.
    init(
        _ peer: Peer, generation: UInt64, from node: NodeID, _ incarnation: Incarnation,
        limits: CallTable<Waiter>.Limits, connectPatience: Duration, commandPatience: Duration,
        sizes: MessageSizes, wake: @escaping @Sendable () -> Void
    ) {
        self.peer = peer
        self.header = FrameHeader(
            node: node.rawValue, incarnation: incarnation.rawValue, addressee: peer.incarnation.rawValue)
        self.limits = limits
        self.connectPatience = connectPatience
        self.sizes = sizes
        self.wake = wake
        // A million million calls each.
        self.state = Mutex(
            State(
                calls: CallTable(limits: limits, after: generation << 40),
                pacing: CommandPacing(patience: commandPatience)))
    }

    // MARK: Callers

    /// - Parameters:
    ///   - call: without its id and remaining time.
    ///   - isCommand: cannot be cancelled.
    /// - Throws: `ClusterError`.
    func call(
        _ call: RemoteCall, until deadline: ContinuousClock.Instant, isCommand: Bool
    ) async throws -> RemoteReply.Outcome {
        try self.checkConnection()
        guard !isCommand else {
            return try await withUnsafeThrowingContinuation {
                _ = self.begin(call, $0, until: deadline, isCommand: true)
            }
        }
        let id = Mutex<UInt64?>(nil)
        return try await withTaskCancellationHandler {
            guard !Task.isCancelled else { throw ClusterError(.cancelled, "the caller has given up") }
            return try await withUnsafeThrowingContinuation { waiter in
                let begun = self.begin(call, waiter, until: deadline, isCommand: false)
                id.withLock { $0 = begun }
                if Task.isCancelled, let begun { self.cancel(begun) }
            }
        } onCancel: {
            if let id = id.withLock(\.self) { self.cancel(id) }
        }
    }

    /// A node that died must not hold those up who ask about others, too.
    private func checkConnection() throws(ClusterError) {
        let giveUp = self.state.withLock { self.giveUp($0) }
        if let giveUp, giveUp <= .now { throw self.unreachable }
    }

    /// When nobody waits for a connection any more; nil where there is one.
    private func giveUp(_ state: borrowing State) -> ContinuousClock.Instant? {
        state.disconnected.map { $0 + self.connectPatience }
    }

    private var unreachable: ClusterError {
        ClusterError(.unreachable, "there is no connection to node \(self.peer.node.rawValue)")
    }

    /// nil when `waiter` has been refused already.
    private func begin(
        _ call: RemoteCall, _ waiter: Waiter, until deadline: ContinuousClock.Instant, isCommand: Bool
    ) -> UInt64? {
        let bytes = call.size
        var refusal: ClusterError?
        var leaves = false
        let id: UInt64? = self.state.withLock { state in
            if let closure = state.closure {
                refusal = Self.ofWhatHasNotLeft(closure)
            } else if bytes > self.sizes.largestPart {
                refusal = ClusterError(.tooLarge, "a call of \(bytes) bytes is larger than a message may be")
            } else if state.unsentBytes < self.limits.bytes,
                let id = state.calls.admit(
                    waiter, of: ShardID(rawValue: call.shard), bytes: bytes, isCommand: isCommand, deadline: deadline)
            {
                var call = call
                call.id = id
                call.remaining = Self.milliseconds(until: deadline)
                self.write(to: &state, isUrgent: !isCommand) { frame in
                    frame.writer.add(call)
                    frame.lastID = id
                }
                leaves = Self.mayLeave(state)
                return id
            } else {
                refusal = ClusterError(.overloaded, "too many calls to node \(self.peer.node.rawValue) are under way")
            }
            return nil
        }
        if let refusal { waiter.resume(throwing: refusal) } else if leaves { self.wake() }
        return id
    }

    private static func milliseconds(until deadline: ContinuousClock.Instant) -> UInt32 {
        UInt32(min(max((deadline - .now) / .milliseconds(1), 0), Double(UInt32.max)))
    }

    private func cancel(_ id: UInt64) {
        let waiter = self.state.withLock { state in
            let waiter = state.calls.finish(id)
            if waiter != nil { self.write(to: &state, isUrgent: true) { $0.writer.addCancelled(id) } }
            return waiter
        }
        guard let waiter else { return }
        self.wake()
        waiter.resume(throwing: ClusterError(.cancelled, "the caller has given up"))
    }

    private func write(to state: inout State, isUrgent: Bool, _ body: (inout Outgoing) -> Void) {
        if state.frames.last.map({ $0.writer.count >= self.sizes.frame }) ?? true {
            state.frames.append(Outgoing(writer: FrameWriter(self.header)))
        }
        let last = state.frames.count - 1
        let before = state.frames[last].writer.count
        body(&state.frames[last])
        if isUrgent { state.frames[last].isUrgent = true }
        state.unsentBytes += state.frames[last].writer.count - before
    }

    // MARK: The reactor

    /// There is a frame that is not held for more commands to come.
    private static func mayLeave(_ state: borrowing State) -> Bool {
        guard let frame = state.frames.first else { return false }
        return frame.isUrgent || state.frames.count > 1
            || state.pacing.holdEnd(unanswered: state.calls.unansweredCommands) == nil
    }

    /// The next frame to be sent. Its calls count as under way.
    func takeFrame() -> [UInt8]? {
        self.state.withLock { state in
            guard Self.mayLeave(state), let frame = state.frames.popFirst() else { return nil }
            state.unsentBytes = state.frames.isEmpty ? 0 : state.unsentBytes - frame.writer.count
            let before = state.calls.unansweredCommands
            state.calls.handOver(through: frame.lastID)
            if state.calls.unansweredCommands > before { state.pacing.commandsLeave() }
            return frame.writer.bytes
        }
    }

    var hasFrames: Bool { self.state.withLock { Self.mayLeave($0) } }

    var nextDeadline: ContinuousClock.Instant? {
        self.state.withLock { state in
            guard let deadline = state.calls.nextDeadline else { return nil }
            let giveUp = self.giveUp(state) ?? deadline
            return min(
                deadline, giveUp, state.pacing.holdEnd(unanswered: state.calls.unansweredCommands) ?? deadline)
        }
    }

    func receive(_ replies: [RemoteReply]) {
        let answered = self.state.withLock { state in
            replies.compactMap { reply in state.calls.finish(reply.id).map { ($0, reply.outcome) } }
        }
        for (waiter, outcome) in answered { waiter.resume(returning: outcome) }
    }

    /// Tells the other side of those that it need not answer any more.
    func expire(at now: ContinuousClock.Instant) {
        let expired = self.state.withLock { state in
            let expired = state.calls.expire(at: now)
            for call in expired { self.write(to: &state, isUrgent: true) { $0.writer.addCancelled(call.id) } }
            return expired
        }
        for call in expired {
            call.waiter.resume(
                throwing: ClusterError(.deadlineExceeded, "node \(self.peer.node.rawValue) did not answer in time"))
        }
    }

    /// The peer may be alive and yet be cut off from the store: what it was asked about shards of others, and has not answered for
    /// a while, it may never answer.
    /// - Parameter shards: those that others own.
    func abandonCalls(about shards: Set<ShardID>) {
        let abandoned = self.state.withLock { state in
            let abandoned = state.calls.finish(about: shards, begunBefore: .now - self.connectPatience)
            for call in abandoned { self.write(to: &state, isUrgent: true) { $0.writer.addCancelled(call.id) } }
            return abandoned
        }
        if !abandoned.isEmpty { self.wake() }
        self.fail(abandoned.map(\.waiter), ClusterError(.connectionLost, "the shard has another owner by now"))
    }

    /// While there is no connection: what has waited long enough for one fails, and what nobody waits for is forgotten.
    func forgetUnsent(at now: ContinuousClock.Instant) {
        let unsent = self.state.withLock { state in
            let unsent = self.giveUp(state).map { $0 <= now } ?? false ? state.calls.removeAll() : []
            if state.calls.isEmpty {
                state.frames = []
                state.unsentBytes = 0
            }
            return unsent
        }
        self.fail(unsent, self.unreachable)
    }

    func connect() { self.state.withLock { $0.disconnected = nil } }

    var isConnected: Bool { self.state.withLock { $0.disconnected == nil && $0.closure == nil } }

    /// There is no connection, and the peer is still wanted.
    var isLost: Bool { self.state.withLock { $0.disconnected != nil && $0.closure == nil } }

    /// There is no connection, and nobody waits for one.
    var isUnused: Bool { self.state.withLock { $0.disconnected != nil && $0.calls.isEmpty } }

    func loseConnection() {
        let lost = self.state.withLock { state in
            if state.disconnected == nil { state.disconnected = .now }
            return state.calls.loseConnection()
        }
        self.fail(lost, ClusterError(.connectionLost, "the connection to node \(self.peer.node.rawValue) broke"))
    }

    /// That run of the node is gone, or this one ends.
    func close(_ error: ClusterError) {
        let (sent, unsent) = self.state.withLock { state in
            state.closure = error
            state.frames = []
            state.unsentBytes = 0
            return (state.calls.loseConnection(), state.calls.removeAll())
        }
        self.fail(sent, error)
        self.fail(unsent, Self.ofWhatHasNotLeft(error))
    }

    /// Of such a call nothing ran: it may be made again elsewhere.
    private static func ofWhatHasNotLeft(_ closure: ClusterError) -> ClusterError {
        closure.code == .connectionLost ? ClusterError(.notOwner, closure.message) : closure
    }

    private func fail(_ waiters: [Waiter], _ error: ClusterError) {
        for waiter in waiters { waiter.resume(throwing: error) }
    }
}
