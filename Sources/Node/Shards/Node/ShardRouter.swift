import Entitlements
package import EventLog
package import Ownership
package import ServiceContract
package import Subscriptions
import Waiting
package import WireProtocol

/// Leads commands to the owner of their shard, this node or another.
package final class ShardRouter: Sendable {
    package let store: any EventStore
    package let map: ShardHash
    /// By shard number.
    package let parts: [ShardParts]
    package let positions: PositionGuard
    package let watch: ClockWatch
    private let moves: ShardMoves
    private let comparing: any ShardComparing
    /// nil where no other node could own a shard.
    private let inbox: HintedHandoff?

    init(_ shards: ShardSet, store: any EventStore, inbox: HintedHandoff?) {
        self.store = store
        self.map = shards.map
        self.parts = shards.parts
        self.positions = shards.positions
        self.watch = shards.watch
        self.moves = shards.moves
        self.comparing = shards.comparing
        self.inbox = inbox
    }

    package func parts(of key: StreamKey) -> ShardParts { self.parts[Int(self.map.shard(of: key.id).rawValue)] }

    /// How many nodes share the work, this one among them.
    package func livingNodes() async throws -> Int {
        guard let shared = self.store as? any SharedEventStore else { return 1 }
        let view = try await DedicatedThread.run(named: "view") { () throws(StoreError) in try shared.view() }
        return max(1, view.living.count)
    }

    /// How long who wants to hear from the owner waits for there to be one.
    private static let patience = Duration.seconds(10)

    /// Recorded when it returns. Cancelling the caller does not cancel the command.
    package func submit(_ submission: Submission) async throws(ServiceError) -> Acceptance {
        guard self.positions.remote != nil else { return try await self.offer(submission) }
        return try await OwnerRetry.ask(for: Self.patience) { () async throws(ServiceError) in
            try await self.offer(submission)
        }
    }

    /// The same for what only has to be safe: where the owner cannot be had, it is kept for him.
    /// - Returns: nil when it is.
    package func ingest(_ submission: Submission) async throws(ServiceError) -> Acceptance? {
        do {
            return try await OwnerRetry.ask(for: PositionGuard.patience) { () async throws(ServiceError) in
                try await self.offer(submission)
            }
        } catch {
            guard let inbox = self.inbox, error.code.saysOwnerIsAbsent else { throw error }
            try await inbox.put(submission, for: self.map.shard(of: submission.key.id))
            return nil
        }
    }

    /// The same, of whoever owns the shard now: nobody is waited for.
    package func offer(_ submission: Submission) async throws(ServiceError) -> Acceptance {
        let parts = self.parts(of: submission.key)
        var outcome = SubmissionOutcome.refused(.notOwner, message: "another node owns the shard")
        if parts.isOurs {
            outcome = await withCheckedContinuation { waiter in
                parts.queue.enqueue(Command(submission: submission, waiter: .task(waiter)))
            }
        }
        if case .refused(.notOwner, _) = outcome, let remote = self.positions.remote {
            outcome = try await ServiceError.translating { try await remote.submit(submission, to: parts.shard) }
        }
        switch outcome {
        case .recorded(let place): return Acceptance(place: place, isDuplicate: false)
        case .duplicate(let place): return Acceptance(place: place, isDuplicate: true)
        case .refused(let code, let message): throw ServiceError(code, message)
        }
    }

    package struct Acceptance {
        package var place: SubmissionOutcome.Place
        package var isDuplicate: Bool

        package var outcome: IngestOutcome {
            self.isDuplicate ? .duplicate(self.place.version) : .recorded(self.place.version)
        }
    }

    /// Has the owner of a shard, wherever it is, make another node its owner. Who hears no more of it than that the shard is
    /// elsewhere by now asks there: it may be where it was to go.
    package func move(_ shard: ShardID, to node: NodeID) async throws(ServiceError) {
        try await OwnerRetry.ask(for: Self.patience) { () async throws(ServiceError) in
            let parts = self.parts[Int(shard.rawValue)]
            if let remote = self.positions.remote, !parts.isOurs {
                return try await ServiceError.translating { try await remote.move(shard, to: node) }
            }
            try await self.moves.request(shard, to: node)
        }
    }

    /// Has the owner of a shard, wherever it is, hold subscriptions of it against Apple's answers.
    package func compare(
        _ comparison: ShardComparison, of shard: ShardID
    ) async throws(ServiceError) -> ShardComparisonResult {
        let parts = self.parts[Int(shard.rawValue)]
        guard let remote = self.positions.remote, !parts.isOurs else {
            return try await self.comparing.compare(comparison, of: shard)
        }
        return try await ServiceError.translating {
            try await remote.compare(comparison, of: shard, until: .now + Self.comparisonLimit)
        }
    }

    /// A question or two to Apple may wait for so long, where the limits are low.
    private static let comparisonLimit = Duration.seconds(600)
}
