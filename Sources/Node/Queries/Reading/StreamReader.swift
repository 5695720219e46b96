import Entitlements
package import EventLog
package import Ownership
package import ServiceContract
package import Shards
package import Subscriptions

/// Answers questions about one stream from what is durable.
package struct StreamReader: Sendable {
    let store: any EventStore
    let map: ShardHash
    let positions: PositionGuard
    let rules: DerivationRules
    let clock: any WallClock

    package init(
        store: any EventStore, map: ShardHash, positions: PositionGuard, rules: DerivationRules, clock: any WallClock
    ) {
        self.store = store
        self.map = map
        self.positions = positions
        self.rules = rules
        self.clock = clock
    }
    private let pastQuestions = PastQuestions()

    /// A stream that exists.
    struct Found {
        var key: StreamKey
        var shard: ShardID
        var row: StreamRow
        /// Not newer than the row: the shard's head before it was read, or where the row itself stands.
        var head: Position
    }

    /// - Throws: `.unknownSubscription` or `.unknownPurchase`, `.ambiguous`.
    func find(_ stream: StreamReference, _ consistency: Consistency = .local) async throws -> Found {
        let shard = self.map.shard(of: stream.id)
        let head = try await self.head(of: shard, consistency)
        let rows = try await self.rows(stream, in: shard)
        guard let row = rows.first, let key = StreamKey(bytes: row.key) else {
            throw ServiceError(unknown: stream.kind)
        }
        guard rows.count == 1 else {
            throw ServiceError(.ambiguous, "several apps have a stream with this id: name the bundle")
        }
        if let head, consistency == .local || head.sequence >= row.sequence {
            return Found(key: key, shard: shard, row: row, head: head)
        }
        if consistency != .local { try await self.waitForOwner(of: shard, toReach: row.sequence) }
        let place = try await self.positions.position(of: row.sequence, in: shard)
        return Found(key: key, shard: shard, row: row, head: place)
    }

    /// The row is of a commit of which its owner has not heard yet: what he answers from memory would be older.
    private func waitForOwner(of shard: ShardID, toReach sequence: LogSequence) async throws(ServiceError) {
        try await PositionWait.wait { () throws(ServiceError) in
            try await self.positions.head(of: shard).sequence >= sequence ? () : nil
        }
    }

    /// nil where nobody has to be asked: the store's row is as new as its newest commit, whether there is an owner or not.
    private func head(of shard: ShardID, _ consistency: Consistency) async throws -> Position? {
        guard consistency == .local else { return try await self.positions.head(of: shard) }
        guard self.positions.isOurs(shard) else { return nil }
        do {
            return try await self.positions.head(of: shard)
        } catch {
            guard error.code.saysOwnerIsAbsent else { throw error }
            return nil
        }
    }

    private func rows(_ stream: StreamReference, in shard: ShardID) async throws -> [StreamRow] {
        if let bundleID = stream.bundleID {
            let key = StreamKey(
                kind: stream.kind, id: stream.id, environment: stream.environment, bundleID: bundleID)
            return try await self.store.streams([key.bytes], in: shard)
        }
        let prefix = StreamKey.prefix(kind: stream.kind, id: stream.id) + Array(stream.environment.rawValue.utf8) + [0]
        return try await self.store.streams(withPrefix: prefix, in: shard, limit: 2)
    }

    // MARK: Answers

    package func view(_ query: SubscriptionQuery) async throws -> SubscriptionView {
        let now = self.clock.now
        let past = PastMoment(at: query.at, knownAt: query.knownAt)
        try past?.check(notAfter: now)
        try await self.positions.check(atLeast: query.atLeast)
        if query.consistency == .durable { try await self.store.ping() }
        let generation = self.positions.generation(of: [self.map.shard(of: query.stream.id)])
        var found = try await self.find(query.stream, query.consistency)
        // Tokens do not go back.
        let bound = try self.positions.bounds(query.atLeast).first { $0.shard == found.shard }
        if let bound, bound.sequence > found.head.sequence { found.head = bound }
        let view =
            if let past {
                try await self.pastQuestions.ask { [found] in try await self.view(found, asOf: past) }
            } else {
                try await self.current(found, at: now)
            }
        if query.consistency != .local, self.positions.isOurs(found.shard) {
            try self.positions.confirm([found.shard], since: generation)
        }
        return view
    }

    func current(_ found: Found, at now: Moment) async throws -> SubscriptionView {
        let state = try await self.store.loadState(found.row, key: found.key, in: found.shard)
        return self.view(found, state.snapshot(at: now, rules: self.rules), found.row.version, asOf: now)
    }

    private func view(_ found: Found, asOf past: PastMoment) async throws -> SubscriptionView {
        let events = try await self.store.history(of: found.key, in: found.shard)
        let history = StreamHistory(key: found.key, events: events)
        let knownAt = past.knownAt ?? .distantFuture
        let known = events.filter { $0.at <= knownAt }.count
        let snapshot = history.snapshot(at: past.at, knownAt: knownAt, rules: self.rules)
        return self.view(found, snapshot, StreamVersion(rawValue: Int64(known)), asOf: past.at)
    }

    private func view(
        _ found: Found, _ snapshot: SubscriptionSnapshot?, _ version: StreamVersion, asOf: Moment
    ) -> SubscriptionView {
        SubscriptionView(
            key: found.key, snapshot: snapshot,
            code: (snapshot.map(CohortCode.init) ?? .nothing).description, version: version, asOf: asOf, stale: false,
            token: self.positions.token([found.head]))
    }

    package func explain(_ query: SubscriptionQuery) async throws -> Explanation {
        guard query.knownAt == nil else {
            throw ServiceError(.invalidRequest, "an explanation is given by all we know now: knownAt does not apply")
        }
        let view = try await self.view(query)
        let found = try await self.find(query.stream)
        let state = try await self.store.loadState(found.row, key: found.key, in: found.shard)
        return Explanation(view: view, steps: state.explain(at: view.asOf, rules: self.rules))
    }

    // MARK: Events

    package func events(
        of stream: StreamReference, after cursor: String?, limit: Int, evidence: Bool
    ) async throws -> EventPage {
        let found = try await self.find(stream)
        var version = StreamVersion.zero
        if let cursor {
            let page = try await self.positions.page(cursor)
            guard page.key == found.row.key else {
                throw ServiceError(.invalidCursor, "the cursor is of another stream")
            }
            version = page.version
        }
        let stored = try await self.store.events(of: found.row.key, in: found.shard, after: version, limit: limit)
            .upTo(found.head.sequence)
        var events: [EventView] = []
        for event in stored {
            var view = try EventView(event)
            if evidence { view.evidence = try await self.store.evidence(of: event.sequence, in: found.shard) }
            events.append(view)
        }
        guard stored.count == limit, let last = stored.last, last.version < found.row.version else {
            return EventPage(events: events, next: nil)
        }
        return EventPage(events: events, next: try await self.positions.cursor(after: last))
    }
}

extension PositionGuard {
    /// Where a list that ended with `event` goes on.
    func cursor(after event: StoredEvent) async throws(ServiceError) -> String {
        PageCursor(
            store: self.stamp, position: try await self.position(of: event.sequence, in: event.shard), key: event.key,
            version: event.version
        ).text
    }
}

extension [StoredEvent] {
    /// What the shard has settled: a cursor beyond its head would be refused when it comes back.
    /// - Precondition: ascending, of one shard.
    func upTo(_ head: LogSequence) -> ArraySlice<StoredEvent> { self.prefix { $0.sequence <= head } }
}

extension EventView {
    package init(_ stored: StoredEvent) throws {
        self.init(
            key: try stored.streamKey, shard: stored.shard, sequence: stored.sequence, version: stored.version,
            at: Moment(milliseconds: stored.at), event: try stored.decoded(), evidence: nil)
    }
}

extension ServiceError {
    fileprivate init(unknown kind: StreamKind) {
        self =
            kind == .purchase
            ? ServiceError(.unknownPurchase, "no purchase with this id is known")
            : ServiceError(.unknownSubscription, "no subscription with this id is known")
    }
}
