package import EventLog
package import Logging
import Synchronization
import WireProtocol
import ZeroMQ

/// A node among others: carries calls to the owners of shards elsewhere, and runs those that come for shards of its own.
/// Nodes find each other through the node table of the store that they share.
package final class ClusterNode: InvocationTransport {
    let configuration: ClusterConfiguration
    let associations: AssociationTable
    let replies: ReplyQueue
    let lostPeers = LostPeers()
    private let contract: CallContract
    private let membership: Membership
    private let server: CallServer
    private let refusals: RefusalLog
    private let logger: Logger
    private let reactor: Reactor
    private let status = Mutex(Status())

    private struct Status {
        var record: NodeRecord?
        var isStopping = false
        var listeners: [CheckedContinuation<NodeRecord?, Never>] = []
    }

    /// Opens nothing yet.
    package init(
        configuration: ClusterConfiguration, store: any EventStore, contract: CallContract, logger: Logger
    ) throws(ClusterError) {
        do {
            self.reactor = try Reactor()
        } catch {
            throw ClusterError(.unavailable, error.message, cause: error)
        }
        let wake = { @Sendable [wakeUp = self.reactor.wakeUp] in wakeUp.ring() }
        let sizes = MessageSizes(largestMessage: configuration.largestMessage)
        self.configuration = configuration
        self.contract = contract
        self.logger = logger
        self.membership = Membership(store: store, logger: logger)
        self.refusals = RefusalLog(logger)
        self.replies = ReplyQueue(
            from: configuration.node, configuration.incarnation, byteLimit: configuration.callBytes,
            frameSize: sizes.frame, wake: wake)
        self.server = CallServer(
            contract, shardCount: store.identity.shardCount, limits: configuration.limits,
            largestAnswer: sizes.largestPart, replyPatience: configuration.replyPatience, replies: self.replies,
            refusals: self.refusals)
        self.associations = AssociationTable(wake: wake) { peer, generation in
            Association(
                peer, generation: generation, from: configuration.node, configuration.incarnation,
                limits: configuration.limits, connectPatience: configuration.connectPatience,
                commandPatience: configuration.commandPatience, sizes: sizes, wake: wake)
        }
    }

    // MARK: Life cycle

    private static let forever = Duration.seconds(Int64(1) << 40)

    /// Listens, and serves `system` until it is cancelled.
    /// - Throws: `ClusterError` when it cannot listen.
    package func run(serving system: ClusterSystem) async throws {
        defer { self.stop() }
        try await withThrowingTaskGroup { group in
            group.addTask {
                do {
                    try await self.reactor.run { () throws(ZeroMQError) in try ClusterProgram(self, serving: system) }
                } catch let error as ZeroMQError {
                    throw ClusterError(.unavailable, error.message, cause: error)
                }
            }
            group.addTask { await self.membership.run(onReading: self.adapt) }
            group.addTask { await self.server.run(on: system) }
            group.addTask {
                await withTaskCancellationHandler {
                    try? await Task.sleep(for: Self.forever)
                } onCancel: {
                    self.stop()
                }
            }
            // Whichever ends first ends all.
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    private func stop() {
        let listeners = self.status.withLock { status in
            status.isStopping = true
            defer { status.listeners = [] }
            return status.listeners
        }
        for listener in listeners { listener.resume(returning: nil) }
        self.lostPeers.stop()
        self.associations.closeAll()
        self.reactor.wakeUp.ring()
    }

    /// What the node table has to say of this run, once it listens; nil when it stops before.
    package func registration() async -> NodeRecord? {
        await withCheckedContinuation { listener in
            let (isKnown, record) = self.status.withLock { status in
                let isKnown = status.record != nil || status.isStopping
                if !isKnown { status.listeners.append(listener) }
                return (isKnown, status.record)
            }
            if isKnown { listener.resume(returning: record) }
        }
    }

    /// - Parameter listener: hears whether a run is still refusing connections after the one to it was lost: true each time
    ///   that it does, and false once it does not or is not tried any more. On any thread; it must not wait.
    package func onProbe(_ listener: @escaping @Sendable (_ run: ShardRecord.Owner, _ isRefused: Bool) -> Void) {
        self.lostPeers.onProbe(listener)
    }

    /// Connects to each of these runs, called or not, since the end of a connection shows that a process is gone. No other run is
    /// probed, and an address that cannot be reached is not tried again without a call. Call it after each reading.
    /// - Parameter runs: those of other nodes that live.
    package func watch(_ runs: Set<ShardRecord.Owner>) {
        let wanted = self.lostPeers.watch(runs, at: .now)
        self.associations.open(self.membership.snapshot.peers.values.filter { wanted.contains($0.run) })
        self.associations.endUnused(but: runs)
    }

    /// The nodes that this one wants a connection to, and whether there is one.
    package var connections: [NodeID: Bool] {
        Dictionary(uniqueKeysWithValues: self.associations.all.map { ($0.peer.node, $0.isConnected) })
    }

    /// How often the reactor has woken up.
    package var reactorTurns: Int { self.reactor.turnCount }

    /// Who owns a shard, as far as this node knows: nil for nobody who can be called.
    package func owner(of shard: ShardID) -> NodeID? { self.membership.owner(of: shard)?.peer.node }

    /// Returns once the node table has been read after this moment; or when the caller is cancelled.
    package func refreshMembership() async { await self.membership.refreshed() }

    /// When replies that are held have to leave at the latest.
    var repliesDue: ContinuousClock.Instant? { self.server.nextDue }

    private func adapt(to snapshot: MembershipSnapshot) {
        self.associations.update(to: snapshot.peers)
        for association in self.associations.all {
            association.abandonCalls(about: snapshot.shards(ofOthersThan: association.peer))
        }
        self.server.forgetCallers(but: Set(snapshot.nodes.values.map(\.incarnation.rawValue)))
    }

    // MARK: Calls to others

    package func call(_ invocation: Invocation, on id: ShardActorID) async throws -> InvocationReply {
        guard let target = self.contract.target(identifier: invocation.target) else {
            throw ClusterError(.unknownTarget, "a function that no node may call: \(invocation.target)")
        }
        let deadline = ClusterSystem.deadline ?? ContinuousClock.now + self.configuration.callTimeout
        guard .now < deadline else { throw ClusterError(.deadlineExceeded, "the deadline is over already") }
        let start = ContinuousClock.now
        let patience = min(deadline, start + self.configuration.ownerPatience)
        var pause = Self.firstPause
        while true {
            do {
                return try await self.call(invocation, target, on: id, until: deadline)
            } catch let error as ClusterError where error.code == .notOwner {
                // Nothing ran: somebody else owns the shard by now, or will soon.
                guard !self.associations.isClosed else {
                    throw ClusterError(.unavailable, "this node is shutting down", cause: error)
                }
                self.membership.refresh()
                guard .now + pause < patience else { throw error }
                try await Self.wait(pause, isCancellable: !target.isOrdered)
                if .now - start > Self.handOff { pause = min(pause * 2, Self.longestPause) }
            }
        }
    }

    private static let firstPause = Duration.milliseconds(10)
    /// So long a shard is on its way from one owner to the next.
    private static let handOff = Duration.milliseconds(100)
    private static let longestPause = Duration.milliseconds(250)

    private static func wait(_ pause: Duration, isCancellable: Bool) async throws(ClusterError) {
        guard isCancellable else {
            // The commands of others may be in the same call: a task of its own is not cancelled with this one.
            return await Task { _ = try? await Task.sleep(for: pause) }.value
        }
        do {
            try await Task.sleep(for: pause)
        } catch {
            throw ClusterError(.cancelled, "the caller has given up")
        }
    }

    private func call(
        _ invocation: Invocation, _ target: CallContract.Target, on id: ShardActorID,
        until deadline: ContinuousClock.Instant
    ) async throws -> InvocationReply {
        guard let owner = self.membership.owner(of: id.shard) else {
            throw ClusterError(.notOwner, "no node that can be reached owns shard \(id.index)")
        }
        guard owner.peer.node != self.configuration.node else {
            self.membership.refresh()
            throw ClusterError(.ownedHere, "this node owns shard \(id.index), and does not serve it yet")
        }
        let association = try self.associations.association(with: owner.peer)
        let call = RemoteCall(
            id: 0, shard: id.shard.rawValue, target: target.number, remaining: 0, epoch: owner.epoch.rawValue,
            arguments: invocation.arguments, trace: TraceContext.current)
        let outcome = try await association.call(call, until: deadline, isCommand: target.isOrdered)
        if case .failure(let failure) = outcome, failure.code == .notOwner {
            throw ClusterError(.notOwner, failure.message)
        }
        return outcome
    }
}

// MARK: On the reactor's thread

extension ClusterNode {
    var isStopping: Bool { self.status.withLock(\.isStopping) }

    func listens(at endpoint: String) {
        let record = self.configuration.record(endpoint: endpoint)
        let listeners = self.status.withLock { status in
            status.record = record
            defer { status.listeners = [] }
            return status.listeners
        }
        for listener in listeners { listener.resume(returning: record) }
    }

    /// nil for a key that is not listed. It may be of a node that has just joined, so the node table is read again; the
    /// peer comes back.
    func user(of key: [UInt8]) -> String? {
        if let user = self.membership.snapshot.user(of: key) { return user }
        self.refusals.record(.unlistedKey)
        self.membership.refresh()
        return nil
    }

    /// - Parameters:
    ///   - bytes: nil for a message that has not one part.
    ///   - user: whom the ZAP handler took the peer for.
    func receiveCalls(_ bytes: [UInt8]?, from identity: [UInt8], user: String?, for system: ClusterSystem) {
        let snapshot = self.membership.snapshot
        guard let node = user.flatMap(snapshot.node(of:)) else { return self.refusals.record(.unlistedKey) }
        guard let bytes, let frame = try? Frame(decoding: bytes) else {
            return self.refusals.record(.malformed, node: node.rawValue)
        }
        let route = ReplyRoute(identity: identity, caller: frame.header.incarnation)
        guard frame.header.node == node.rawValue else {
            return self.refusals.record(.otherName, node: node.rawValue)
        }
        guard frame.header.protocolVersion == Frame.currentProtocol else {
            self.refusals.record(.otherProtocol, node: node.rawValue)
            return self.replies.putReset(on: route)
        }
        guard frame.header.addressee == self.configuration.incarnation.rawValue else {
            self.refusals.record(.otherAddressee, node: node.rawValue)
            return self.replies.putReset(on: route)
        }
        guard frame.header.incarnation == snapshot.nodes[node]?.incarnation.rawValue else {
            return self.refuseRun(frame, of: node, on: route)
        }
        self.server.receive(frame, on: route, for: system)
    }

    /// Either the caller's run is over, or it has just begun and this node does not know it yet: then it will try again.
    private func refuseRun(_ frame: Frame, of node: NodeID, on route: ReplyRoute) {
        self.refusals.record(.staleRun, node: node.rawValue)
        self.membership.refresh()
        for call in frame.calls {
            let failure = RemoteFailure(.notOwner, "this node does not know the run that calls")
            self.replies.put(RemoteReply(id: call.id, outcome: .failure(failure)), on: route)
        }
        self.replies.wake()
    }

    /// - Parameter bytes: nil for a message that has not one part.
    func receiveReplies(_ bytes: [UInt8]?, from association: Association) {
        let peer = association.peer
        guard let bytes, let frame = try? Frame(decoding: bytes) else {
            return self.refusals.record(.malformed, node: peer.node.rawValue)
        }
        guard !frame.isReset else {
            self.associations.remove(association)
            return self.membership.refresh()
        }
        // Who follows other rules may say so, which is a reset, and nothing else.
        guard frame.header.protocolVersion == Frame.currentProtocol else {
            return self.refusals.record(.otherProtocol, node: peer.node.rawValue)
        }
        guard frame.header.incarnation == peer.incarnation.rawValue,
            frame.header.addressee == self.configuration.incarnation.rawValue
        else { return self.refusals.record(.staleRun, node: peer.node.rawValue) }
        association.receive(frame.replies)
    }

    /// The node table holds an address or a key that is none.
    func cannotConnect(to peer: Peer, _ error: ZeroMQError) {
        self.logger.warning(
            "A node cannot be connected to",
            metadata: .cluster([.node: "\(peer.node.rawValue)", .error: "\(error.message)"]))
    }
}
