package import EventLog

extension PostgresEventStore {
    package func register(_ node: NodeRecord) throws(StoreError) {
        var parameters = Parameters()
        parameters.add(node.id.rawValue)
        parameters.add(node.incarnation.rawValue)
        parameters.add(node.endpoint)
        parameters.add(node.packedCurveKeys)
        parameters.add(Int64(node.featureLevel.rawValue))
        let isRegistered = try self.writers.use { session throws(StoreError) in
            do throws(StatementFailure) {
                return try session.run(Self.register, parameters).count > 0
            } catch {
                throw StoreError(error, unknown: .unavailable)
            }
        }
        if !isRegistered { try node.featureLevel.check(supports: try self.featureLevel()) }
    }

    private static let register = PreparedStatement(
        "register",
        """
        WITH counted AS (\(PostgresEventStore.countRegistration(at: "$5::bigint")))
        INSERT INTO node (node_id, incarnation, endpoint, curve_key, feature_level, feature_incarnation)
        SELECT $1::text, $2::bigint, $3::text, $4::bytea, $5::bigint, $2::bigint FROM counted
        ON CONFLICT (node_id) DO UPDATE
        SET incarnation = excluded.incarnation, live_epoch = node.live_epoch + 1, endpoint = excluded.endpoint,
            curve_key = excluded.curve_key, feature_level = excluded.feature_level,
            feature_incarnation = excluded.feature_incarnation, state = 'live'
        RETURNING live_epoch
        """)

    /// Blocks, for as long as an append of these shards is under way. Shards are taken in one statement; a second one
    /// reads when their newest events were recorded, since the first, on its snapshot, may not see the events of an
    /// append that it has waited for.
    package func claim(_ claim: ShardClaim) throws(StoreError) -> [ShardOwnership] {
        var parameters = Parameters()
        parameters.add(shards: Set(claim.shards).sorted())
        parameters.add(claim.owner.node.rawValue)
        parameters.add(claim.owner.incarnation.rawValue)
        parameters.add(claim.from?.rawValue)
        return try self.take(claim.shards, for: claim.owner, Self.claim, parameters)
    }

    /// - Parameter statement: takes shards, and gives back their numbers, epochs and heads.
    func take(
        _ shards: [ShardID], for owner: ShardRecord.Owner, _ statement: PreparedStatement, _ parameters: Parameters
    ) throws(StoreError) -> [ShardOwnership] {
        guard !shards.isEmpty else { return [] }
        let taken = try self.writers.use { session throws(StoreError) in
            let losses = self.lost.count
            do throws(StatementFailure) {
                let taken = try Self.take(owner, statement, parameters, in: &session)
                self.lost.recordClaim(of: taken.keys, after: losses)
                return taken
            } catch {
                throw StoreError(error, unknown: .unavailable)
            }
        }
        return shards.compactMap { taken[$0] }
    }

    private static func take(
        _ owner: ShardRecord.Owner, _ statement: PreparedStatement, _ parameters: Parameters,
        in session: inout Session
    ) throws(StatementFailure) -> [ShardID: ShardOwnership] {
        let result = try session.run(statement, parameters, refusesWarnings: true)
        let taken = try result.rows { row throws(StoreError) in
            ShardOwnership(
                shard: try row.shard(0), epoch: Epoch(rawValue: try row.number(1)),
                incarnation: owner.incarnation, head: LogSequence(rawValue: try row.number(2)), lastRecordedAt: 0)
        }
        var ownerships = Dictionary(uniqueKeysWithValues: taken.map { ($0.shard, $0) })
        var heads = Parameters()
        heads.add(shards: taken.map(\.shard))
        heads.add(numbers: taken.map(\.head.rawValue))
        heads.add(numbers: taken.map(\.epoch.rawValue))
        let moments = try session.run(Self.recorded, heads).rows { row throws(StoreError) in
            (shard: try row.shard(0), at: try row.number(1))
        }
        for (shard, at) in moments { ownerships[shard]?.lastRecordedAt = at }
        return ownerships
    }

    private static let claim = PreparedStatement(
        "claim",
        PostgresEventStore.taking(
            """
            UPDATE shard SET epoch = epoch + 1, owner_node = $2::text, owner_incarnation = $3::bigint
            WHERE shard_id = ANY ($1::integer[]) AND ($4::bigint IS NULL OR owner_incarnation = $4::bigint)
            """))

    /// Rows are met in the order of the numbers, as by appends.
    /// - Parameter update: of `shard`; its first parameter are the numbers of the shards.
    static func taking(_ update: String) -> String {
        """
        WITH taken AS (
            \(update)
            RETURNING shard.shard_id, shard.epoch, owner_incarnation, head_seq
        ), begun AS (
            INSERT INTO shard_epoch (shard_id, epoch, incarnation, first_seq)
            SELECT shard_id, epoch, owner_incarnation, head_seq + 1 FROM taken
        )
        SELECT shard_id, epoch, head_seq FROM taken
        """
    }

    /// `cleared`: an earlier epoch that has written nothing will not be asked about; without it each start would leave a row.
    /// Not with the claim itself, which puts a row there: not every database lets one statement do both to a table.
    private static let recorded = PreparedStatement(
        "recorded",
        """
        WITH cleared AS (
            DELETE FROM shard_epoch
            USING unnest($1::integer[], $2::bigint[], $3::bigint[]) AS taken (shard_id, head, epoch)
            WHERE shard_epoch.shard_id = ANY ($1::integer[]) AND shard_epoch.shard_id = taken.shard_id
                AND shard_epoch.epoch < taken.epoch AND shard_epoch.first_seq > taken.head
        )
        SELECT head.shard_id, (
            SELECT at FROM event WHERE event.shard_id = head.shard_id AND event.seq = head.seq)
        FROM unnest($1::integer[], $2::bigint[]) AS head (shard_id, seq) WHERE head.seq > 0
        """)

    package func nodes() async throws(StoreError) -> [NodeRecord] {
        let statement = PreparedStatement(
            "nodes", "SELECT node_id, incarnation, endpoint, curve_key, \(Self.supportedLevel) FROM node")
        return try await self.rows(statement, Parameters(), Self.node).sorted { $0.id.rawValue < $1.id.rawValue }
    }

    /// A row that begins with what others have to know of a node.
    static func node(_ row: ResultRow) throws(StoreError) -> NodeRecord {
        NodeRecord(
            id: NodeID(rawValue: try row.text(0)), incarnation: Incarnation(rawValue: try row.number(1)),
            endpoint: try row.text(orNull: 2), packedCurveKeys: row.isNull(3) ? [] : try row.bytes(3),
            featureLevel: try row.featureLevel(4))
    }

    package func shards() async throws(StoreError) -> [ShardRecord] {
        self.own(try await self.rows(Self.shards, Parameters(), Self.shard))
    }

    /// Callers count on the numbers of shards: what somebody else has put into the table is passed over.
    func own(_ rows: [ShardRecord]) -> [ShardRecord] { rows.filter { $0.shard.rawValue < self.identity.shardCount } }

    static let shards = PreparedStatement(
        "shards", "SELECT shard_id, epoch, owner_node, owner_incarnation, head_seq FROM shard ORDER BY shard_id")

    static func shard(_ row: ResultRow) throws(StoreError) -> ShardRecord {
        var owner: ShardRecord.Owner?
        if let node = try row.text(orNull: 2) {
            owner = ShardRecord.Owner(
                node: NodeID(rawValue: node), incarnation: Incarnation(rawValue: try row.number(3)))
        }
        return ShardRecord(
            shard: try row.shard(0), epoch: Epoch(rawValue: try row.number(1)), owner: owner,
            head: LogSequence(rawValue: try row.number(4)))
    }

    package func heads() async throws(StoreError) -> [Position] {
        let statement = PreparedStatement(
            "heads",
            "SELECT shard_id, head_seq, (\(Self.incarnationOf("shard.head_seq"))) FROM shard ORDER BY shard_id")
        let heads = try await self.rows(statement) { row throws(StoreError) in
            Position(
                shard: try row.shard(0), sequence: LogSequence(rawValue: try row.number(1)),
                incarnationTag: Incarnation(rawValue: try row.number(orNull: 2) ?? 0).tag)
        }
        return heads.filter { $0.shard.rawValue < self.identity.shardCount }
    }

    package func incarnationTag(of sequence: LogSequence, in shard: ShardID) async throws(StoreError) -> UInt32? {
        var parameters = Parameters()
        parameters.add(sequence.rawValue)
        parameters.add(shard)
        return try await self.first(Self.incarnation, parameters) { row throws(StoreError) in
            Incarnation(rawValue: try row.number(orNull: 0) ?? 0).tag
        }
    }

    private static let incarnation = PreparedStatement(
        "incarnation",
        """
        SELECT (\(PostgresEventStore.incarnationOf("$1::bigint"))) FROM shard
        WHERE shard_id = $2::integer AND head_seq >= $1::bigint
        """)

    /// Who wrote a sequence: the newest epoch that began at or before it.
    private static func incarnationOf(_ sequence: String) -> String {
        """
        SELECT incarnation FROM shard_epoch
        WHERE shard_epoch.shard_id = shard.shard_id AND first_seq <= \(sequence) ORDER BY epoch DESC LIMIT 1
        """
    }
}
