import EventLog
import Synchronization
import WireProtocol

/// Runs the calls that come from other nodes, and answers each once. Ordered calls of a shard run one after the other as
/// they came; the others run side by side.
final class CallServer: Sendable {
    private enum Work: Sendable {
        /// There are ordered calls of a shard.
        case lane(Int)
        case call(ServedCall)
    }

    private let contract: CallContract
    private let calls: ServedCalls
    private let replies: ReplyQueue
    private let refusals: RefusalLog
    private let largestAnswer: Int
    /// By shard.
    private let lanes: [Lane]
    /// The newest call of each caller's run.
    private let newest = Mutex<[Int64: UInt64]>([:])
    private let held: Mutex<HeldReplies>
    private let (work, incoming) = AsyncStream.makeStream(of: Work.self)

    /// - Parameters:
    ///   - largestAnswer: in bytes, so that a message can hold it.
    ///   - replyPatience: see `ClusterConfiguration`.
    init(
        _ contract: CallContract, shardCount: Int, limits: CallTable<Association.Waiter>.Limits, largestAnswer: Int,
        replyPatience: Duration, replies: ReplyQueue, refusals: RefusalLog
    ) {
        self.contract = contract
        self.calls = ServedCalls(limits: limits)
        self.largestAnswer = largestAnswer
        self.held = Mutex(HeldReplies(interval: replyPatience))
        self.replies = replies
        self.refusals = refusals
        self.lanes = (0..<shardCount).map { _ in Lane() }
    }

    // MARK: On the reactor's thread

    /// - Parameter frame: of a known run, and meant for this one.
    func receive(_ frame: Frame, on route: ReplyRoute, for system: ClusterSystem) {
        // A frame that waited for its connection may hold calls that were given up since.
        let cancelled = Set(frame.cancelled)
        let group = frame.calls.count > 1 ? ReplyGroup() : nil
        var isRepeated = false
        for call in frame.calls {
            guard self.isNew(call, of: route.caller) else {
                isRepeated = true
                continue
            }
            guard !cancelled.contains(call.id) else { continue }
            if let failure = self.accept(call, on: route, group, for: system) {
                self.replies.put(RemoteReply(id: call.id, outcome: .failure(failure)), on: route)
                self.replies.wake()
            }
        }
        if isRepeated { self.refusals.record(.repeated, node: frame.header.node) }
        for id in frame.cancelled { self.calls.cancel(ServedCall.ID(route: route, call: id)) }
        // What has been answered by now leaves in this turn of the reactor.
        if let group, !group.leave() { self.held.withLock { $0.append(group, at: .now) } }
    }

    /// When replies that are held have to leave at the latest.
    var nextDue: ContinuousClock.Instant? { self.held.withLock { $0.nextDue(at: .now) } }

    private func isNew(_ call: RemoteCall, of caller: Int64) -> Bool {
        self.newest.withLock { newest in
            guard call.id > newest[caller, default: 0] else { return false }
            newest[caller] = call.id
            return true
        }
    }

    /// Runs other than these will not come back, and hear nothing any more.
    func forgetCallers(but callers: Set<Int64>) {
        self.newest.withLock { newest in newest = newest.filter { callers.contains($0.key) } }
        self.calls.cancelUnheard(but: callers, at: .now)
    }

    private func accept(
        _ call: RemoteCall, on route: ReplyRoute, _ group: ReplyGroup?, for system: ClusterSystem
    ) -> RemoteFailure? {
        guard let target = self.contract.target(call.target) else {
            return RemoteFailure(.unknownTarget, "no function has the number \(call.target)")
        }
        guard Int(call.shard) < self.lanes.count else {
            return RemoteFailure(.malformed, "there is no shard \(call.shard)")
        }
        guard !self.replies.isFull(route) else {
            return RemoteFailure(.overloaded, "too many answers wait to be read")
        }
        let group = target.usesInbox ? group : nil
        let served = ServedCall(route: route, call: call, target: target, arrival: .now, group: group)
        guard self.calls.admit(served) else { return RemoteFailure(.overloaded, "too many calls are under way") }
        group?.enter()
        guard target.isOrdered else {
            self.incoming.yield(.call(served))
            return nil
        }
        let lane = self.lanes[Int(call.shard)]
        // Not before those that came earlier.
        if lane.isIdle, self.isWanted(served), self.putIntoInbox(served, of: system) { return nil }
        if lane.append(served) { self.incoming.yield(.lane(Int(call.shard))) }
        return nil
    }

    /// false where there is none for it: the call has to be executed.
    private func putIntoInbox(_ served: ServedCall, of system: ClusterSystem) -> Bool {
        let call = served.call
        let id = ShardActorID(shard: ShardID(rawValue: call.shard))
        guard served.target.usesInbox, let inbox = system.inbox(of: id, epoch: Epoch(rawValue: call.epoch)) else {
            return false
        }
        if call.arguments.count == 1, let batch = try? CommandBatch(wireBytes: call.arguments[0]) {
            self.answer(served, onceComplete: TraceContext.following(call.trace) { inbox(batch) })
        } else {
            self.answer(served, .failure(RemoteFailure(.malformed, "the call is not of one batch")))
        }
        return true
    }

    // MARK: Running

    /// Until it is cancelled.
    func run(on system: ClusterSystem) async {
        await withDiscardingTaskGroup { group in
            for await work in self.work {
                switch work {
                case .lane(let shard): group.addTask { await self.drain(shard, system) }
                case .call(let call): group.addTask { await self.run(call, system) }
                }
            }
            group.cancelAll()
        }
    }

    private func drain(_ shard: Int, _ system: ClusterSystem) async {
        // At the end of this run there is nobody who could be answered.
        while !Task.isCancelled, let call = self.lanes[shard].next() { await self.run(call, system) }
    }

    private func run(_ call: ServedCall, _ system: ClusterSystem) async {
        guard self.isWanted(call) else { return self.finish(call) }
        if call.target.isOrdered {
            if !self.putIntoInbox(call, of: system) { await self.execute(call, system) }
        } else {
            await self.calls.run(call.id) { await self.execute(call, system) }
        }
    }

    /// Its caller has neither given up nor stopped waiting.
    private func isWanted(_ call: ServedCall) -> Bool { !self.calls.isCancelled(call.id) && .now < call.deadline }

    private func execute(_ call: ServedCall, _ system: ClusterSystem) async {
        do {
            let execution = try await TraceContext.following(call.call.trace) {
                try await system.execute(
                    Invocation(target: call.target.identifier, arguments: call.call.arguments),
                    on: ShardActorID(shard: ShardID(rawValue: call.call.shard)),
                    epoch: Epoch(rawValue: call.call.epoch))
            }
            switch execution {
            // Perhaps made by the cancellation, and no answer then: the caller has given up, or hears the connection end.
            case .reply(.failure) where Task.isCancelled: self.finish(call)
            case .reply(let outcome): self.answer(call, outcome)
            case .eventual(let result): self.answer(call, onceComplete: result)
            }
        } catch let error as ClusterError where error.code == .notOwner {
            self.answer(call, .failure(RemoteFailure(.notOwner, error.message)))
        } catch {
            // What the function throws has become a reply already: this is about the call itself.
            self.answer(call, .failure(RemoteFailure(.malformed, "the call does not fit: \(type(of: error))")))
        }
    }

    private func answer(_ call: ServedCall, onceComplete result: some EventualResult) {
        result.whenComplete { result in
            do {
                self.answer(call, .value(try result.wireBytes()))
            } catch {
                self.answer(call, .failure(RemoteFailure(.thrown, "the answer cannot be written")))
            }
        }
    }

    private func answer(_ call: ServedCall, _ outcome: RemoteReply.Outcome) {
        var outcome = outcome
        if outcome.size > self.largestAnswer {
            outcome = .failure(RemoteFailure(.thrown, "the answer is larger than a message may be"))
        }
        self.replies.put(RemoteReply(id: call.call.id, outcome: outcome), on: call.route)
        self.finish(call)
    }

    private func finish(_ call: ServedCall) {
        self.calls.finish(call.id)
        if call.group?.leave() ?? true { self.replies.wake() }
    }
}
