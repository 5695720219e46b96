package import EventLog
package import Ownership
package import ServiceContract

/// Makes the tokens of answers, and holds the tokens and cursors of questions against the log.
package struct PositionGuard: Sendable {
    let store: any EventStore
    package let shards: [ShardParts]
    /// nil for a node alone.
    package let remote: RemoteShards?
    /// nil where ownership does not go by leases.
    let lease: NodeLease?
    let guards: Guards

    package var stamp: StoreStamp { StoreStamp(self.store.identity) }

    package func isOurs(_ shard: ShardID) -> Bool { self.shards[Int(shard.rawValue)].isOurs }

    /// The newest durable event of a shard, as its owner says.
    /// - Throws: while the shard must not answer.
    package func head(of shard: ShardID) async throws(ServiceError) -> Position {
        guard let remote = self.remote else { return try await self.ownHead(of: shard) }
        return try await OwnerRetry.ask(for: Self.patience) { () async throws(ServiceError) in
            if self.isOurs(shard) { return try await self.ownHead(of: shard) }
            return try await ServiceError.translating { try await remote.head(of: shard) }
        }
    }

    /// For how long a question waits for a shard to have changed hands.
    package static let patience = Duration.seconds(1)

    /// Without asking anybody: for those who ask this node as the owner, and must not be sent round in circles.
    /// - Throws: while the shard must not answer.
    package func ownHead(of shard: ShardID) async throws(ServiceError) -> Position {
        let generation = self.generation(of: [shard])
        let head = try self.shards[Int(shard.rawValue)].status.head()
        let position = try await self.position(of: head.sequence, in: shard)
        try self.confirm([shard], since: generation)
        return position
    }

    /// To be asked for before the first look at shards on which an answer will rest.
    package func generation(of shards: [ShardID]) -> Int {
        self.lease == nil ? 0 : shards.reduce(0) { $0 + self.shards[Int($1.rawValue)].status.generation }
    }

    /// To be called when an answer that rests on shards of this node is ready, and before it leaves.
    /// - Parameter generation: of these shards, from before anything was read.
    /// - Throws: when another node owns one of them, or may own it by now, or may have since then.
    package func confirm(_ shards: [ShardID], since generation: Int) throws(ServiceError) {
        guard self.lease != nil, !shards.isEmpty else { return }
        try self.checkLease()
        guard self.generation(of: shards) == generation, shards.allSatisfy(self.isOurs) else {
            throw ServiceError(.notOwner, "the shard has just changed hands, or been opened anew")
        }
    }

    /// - Throws: where this node may not answer for its shards: the store, which has been away for so long, need not be asked.
    package func checkLease() throws(ServiceError) {
        guard self.lease?.allowsAnswer ?? true else {
            throw ServiceError(.storeUnavailable, "the store has not answered this node for the length of its lease")
        }
    }

    /// - Precondition: the log holds `sequence`.
    package func position(of sequence: LogSequence, in shard: ShardID) async throws(ServiceError) -> Position {
        guard let tag = try await self.tag(of: sequence, in: shard) else {
            throw ServiceError(.storeRewound, "the log is shorter than it was")
        }
        return Position(shard: shard, sequence: sequence, incarnationTag: tag)
    }

    /// How far a list of what is durable may go, without asking anybody; of another node's shard as far as the store does.
    package func headSequence(of shard: ShardID) throws(ServiceError) -> LogSequence {
        guard self.isOurs(shard) else { return LogSequence(rawValue: .max) }
        do {
            return try self.shards[Int(shard.rawValue)].status.durableHead().sequence
        } catch {
            // It is changing hands: what is in the store is durable all the same.
            guard error.code.saysOwnerIsAbsent else { throw error }
            return LogSequence(rawValue: .max)
        }
    }

    /// The newest durable event of a shard of this node, without asking anybody.
    /// - Returns: nil where only the store knows who wrote it, or the shard has not come as far as `bound`.
    /// - Throws: while the shard must not answer.
    package func knownHead(of shard: ShardID, atLeast bound: Position?) throws(ServiceError) -> Position? {
        guard let head = try self.knownHeads(of: [shard])?.first else { return nil }
        return bound.map { $0.sequence <= head.sequence } ?? true ? head : nil
    }

    /// The same, asked of the store where that alone knows it, and waited for until the shard has heard of its own commits.
    /// - Throws: while the shard must not answer, or stays behind.
    package func ownHead(of shard: ShardID, atLeast bound: Position?) async throws(ServiceError) -> Position {
        if let bound {
            try await PositionWait.wait { () throws(ServiceError) in
                try self.shards[Int(shard.rawValue)].status.head().sequence >= bound.sequence ? () : nil
            }
        }
        return try await self.ownHead(of: shard)
    }

    /// The newest durable events of several shards, in their order, without asking anybody; nil when only the store knows who
    /// wrote one of them, or another node.
    package func knownHeads(of shards: [ShardID]) throws(ServiceError) -> [Position]? {
        // Not by `isOurs`, of which a copy of all this would be made.
        guard shards.allSatisfy({ self.shards[Int($0.rawValue)].isOurs }) else { return nil }
        var heads: [Position] = []
        heads.reserveCapacity(shards.count)
        for shard in shards {
            let head = try self.shards[Int(shard.rawValue)].status.head()
            guard let tag = head.tag else { return nil }
            heads.append(Position(shard: shard, sequence: head.sequence, incarnationTag: tag))
        }
        return heads
    }

    package func token(_ positions: [Position]) -> String {
        guard positions.count == 1 else { return PositionToken(store: self.stamp, positions: positions).text }
        // Between two commits of a shard, every answer about it has the same token.
        return self.shards[Int(positions[0].shard.rawValue)].status.token(of: positions[0]) {
            PositionToken(store: self.stamp, positions: positions).text
        }
    }

    // MARK: Questions

    /// A token that an answer must not be older than: it has to be one of this log, and shards of our own have to have
    /// come so far. What it names is durable, but a shard may not have heard so yet of its own commit.
    package func check(atLeast text: String?) async throws(ServiceError) {
        for position in try self.bounds(text) { try await self.check(atLeast: position) }
    }

    /// The same for one of its places.
    package func check(atLeast position: Position) async throws(ServiceError) {
        try await self.check(position)
        try await self.wait(for: position)
    }

    /// Whether `check(atLeast:)` would pass without asking anybody.
    package func knows(_ position: Position) -> Bool {
        guard self.isOurs(position.shard), let head = try? self.headSequence(of: position.shard) else { return false }
        let status = self.shards[Int(position.shard.rawValue)].status
        return position.sequence <= head && status.tag(of: position.sequence) == position.incarnationTag
    }

    private func wait(for position: Position) async throws(ServiceError) {
        guard self.isOurs(position.shard) else { return }
        try await PositionWait.wait { () throws(ServiceError) in
            try self.headSequence(of: position.shard) >= position.sequence ? () : nil
        }
    }

    /// The newest commits to these shards at this moment, by whomever: whoever has lost a shard and does not know it will not
    /// come so far.
    package func committed(of shards: [ShardID]) async throws -> [Position] {
        let heads = try await self.store.heads()
        return shards.map { heads[Int($0.rawValue)] }
    }

    /// Places that an answer must not be older than.
    /// - Parameter text: the token that came with its question.
    package func bounds(_ text: String?) throws(ServiceError) -> [Position] {
        guard let text, self.guards.contains(.tokens) else { return [] }
        return try self.positions(text)
    }

    /// The same for questions about some shards: what the token names of others does not concern them.
    package func bounds(_ text: String?, of shards: [ShardID]) throws(ServiceError) -> [Position] {
        let bounds = try self.bounds(text)
        guard !bounds.isEmpty else { return [] }
        let shards = Set(shards)
        return bounds.filter { shards.contains($0.shard) }
    }

    /// The positions of a token or a change cursor of this store. They may still be ahead of the log.
    package func positions(_ text: String) throws(ServiceError) -> [Position] {
        guard let token = PositionToken(text: text) else { throw Self.invalid }
        try self.check(token.store)
        guard token.positions.allSatisfy({ Int($0.shard.rawValue) < self.shards.count }) else { throw Self.invalid }
        return token.positions
    }

    /// Where a list goes on.
    package func page(_ text: String) async throws(ServiceError) -> PageCursor {
        guard let cursor = PageCursor(text: text) else { throw Self.invalid }
        try self.check(cursor.store)
        guard Int(cursor.position.shard.rawValue) < self.shards.count else { throw Self.invalid }
        try await self.check(cursor.position)
        return cursor
    }

    /// - Throws: `.storeRewound` when the log does not hold what this position names.
    package func check(_ position: Position) async throws(ServiceError) {
        // Of a shard of our own whose log may be another by now there is no answer. A position beyond its head may be one that
        // another node has read from the store already.
        if self.isOurs(position.shard) { _ = try self.headSequence(of: position.shard) }
        guard try await self.tag(of: position.sequence, in: position.shard) == position.incarnationTag
        else { throw ServiceError(.storeRewound, "the log does not hold this position any more") }
    }

    private func check(_ stamp: StoreStamp) throws(ServiceError) {
        guard stamp == self.stamp else {
            throw ServiceError(.storeRewound, "this is of another store, or of this one before it was restored")
        }
    }

    private func tag(of sequence: LogSequence, in shard: ShardID) async throws(ServiceError) -> UInt32? {
        let status = self.shards[Int(shard.rawValue)].status
        if let tag = status.tag(of: sequence) { return tag }
        do {
            let tag = try await self.store.incarnationTag(of: sequence, in: shard)
            if let tag, self.isOurs(shard) {
                status.remember(Position(shard: shard, sequence: sequence, incarnationTag: tag))
            }
            return tag
        } catch {
            throw ServiceError(error)
        }
    }

    private static var invalid: ServiceError { ServiceError(.invalidCursor, "not a cursor or token of this service") }
}
