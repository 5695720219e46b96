package import EventLog

extension PostgresEventStore {
    /// Two statements: the second does nothing where the row is not as the first has found it, so that one that is held
    /// up on the way does not undo a later registration; nor where the level was raised meanwhile.
    package func begin(_ node: NodeRecord, lease: Duration) throws(StoreError) -> NodeRun {
        let owner = ShardRecord.Owner(node: node.id, incarnation: node.incarnation)
        while true {
            var id = Parameters()
            id.add(node.id.rawValue)
            let found = try self.watch(Self.liveEpoch, id) { row throws(StoreError) in
                (level: try row.featureLevel(0), liveEpoch: try row.number(orNull: 1))
            }.first
            guard let found else { throw Self.lostMeta }
            try node.featureLevel.check(supports: found.level)
            var parameters = Parameters()
            parameters.add(node.id.rawValue)
            parameters.add(node.incarnation.rawValue)
            parameters.add(found.liveEpoch)
            parameters.add(Int64(lease / .milliseconds(1)))
            parameters.add(node.endpoint)
            parameters.add(node.packedCurveKeys)
            parameters.add(Int64(node.featureLevel.rawValue))
            let registered = try self.watch(Self.begin, parameters) { row throws(StoreError) in try row.number(0) }
            if let liveEpoch = registered.first {
                return NodeRun(owner: owner, liveEpoch: LiveEpoch(rawValue: liveEpoch))
            }
        }
    }

    private static let liveEpoch = PreparedStatement(
        "live_epoch",
        "SELECT feature_level, (SELECT live_epoch FROM node WHERE node_id = $1::text) FROM store_meta")

    private static let begin = PreparedStatement(
        "begin",
        """
        WITH counted AS (\(PostgresEventStore.countRegistration(at: "$7::bigint")))
        INSERT INTO node (node_id, incarnation, lease_ms, endpoint, curve_key, feature_level, feature_incarnation)
        SELECT $1::text, $2::bigint, $4::bigint, $5::text, $6::bytea, $7::bigint, $2::bigint FROM counted
        ON CONFLICT (node_id) DO UPDATE
        SET incarnation = excluded.incarnation, live_epoch = node.live_epoch + 1, lease_ms = excluded.lease_ms,
            endpoint = excluded.endpoint, curve_key = excluded.curve_key, feature_level = excluded.feature_level,
            feature_incarnation = excluded.feature_incarnation, state = 'live'
        WHERE node.live_epoch = $3::bigint
        RETURNING live_epoch
        """)

    package func beat(_ run: NodeRun) throws(StoreError) -> BeatAcknowledgement? {
        try self.watch(Self.beat, Self.parameters(run), in: self.beats) { row throws(StoreError) in
            BeatAcknowledgement(time: try row.number(0))
        }.first
    }

    private static let beat = PreparedStatement(
        "beat",
        """
        UPDATE node SET beat = beat + 1 WHERE \(PostgresEventStore.isRun)
        RETURNING (extract(epoch FROM clock_timestamp()) * 1000)::bigint
        """)

    package func leave(_ run: NodeRun) throws(StoreError) {
        _ = try self.watch(Self.leave, Self.parameters(run), in: self.beats) { _ in () }
    }

    private static let leave = PreparedStatement(
        "leave", "UPDATE node SET state = 'left' WHERE \(PostgresEventStore.isRun)")

    package func depose(_ seen: NodeStatus) throws(StoreError) -> Bool {
        var parameters = Self.parameters(seen.run)
        parameters.add(seen.beat)
        return try !self.watch(Self.depose, parameters) { _ in () }.isEmpty
    }

    private static let depose = PreparedStatement(
        "depose",
        """
        UPDATE node SET live_epoch = live_epoch + 1, state = 'deposed'
        WHERE \(PostgresEventStore.isRun) AND beat = $4::bigint RETURNING live_epoch
        """)

    private static let isRun = """
        node_id = $1::text AND incarnation = $2::bigint AND live_epoch = $3::bigint AND state = 'live'
        """

    private static func parameters(_ run: NodeRun) -> Parameters {
        var parameters = Parameters()
        parameters.add(run.owner.node.rawValue)
        parameters.add(run.owner.incarnation.rawValue)
        parameters.add(run.liveEpoch.rawValue)
        return parameters
    }

    /// Runs a statement beside the appends.
    /// - Parameter sessions: nil for those that read what becomes of other nodes.
    func watch<Value: Sendable>(
        _ statement: PreparedStatement, _ parameters: Parameters, in sessions: SessionPool? = nil,
        _ decode: (ResultRow) throws(StoreError) -> Value
    ) throws(StoreError) -> [Value] {
        try (sessions ?? self.watchers).use { session throws(StoreError) in
            do throws(StatementFailure) {
                return try session.run(statement, parameters, refusesWarnings: true).rows(decode)
            } catch {
                throw StoreError(error, unknown: .unavailable)
            }
        }
    }

    // MARK: Reading

    package func view() throws(StoreError) -> ClusterView {
        let shards = self.own(try self.watch(Self.shards, Parameters(), Self.shard))
        let rows = try self.watch(Self.statuses, Parameters()) { row throws(StoreError) in
            (level: try row.featureLevel(9), status: try Self.status(row))
        }
        guard let level = rows.first?.level else { throw Self.lostMeta }
        let nodes = rows.compactMap(\.status).sorted { $0.id.rawValue < $1.id.rawValue }
        return ClusterView(nodes: nodes, shards: shards, featureLevel: level)
    }

    private static let statuses = PreparedStatement(
        "statuses",
        """
        SELECT node_id, incarnation, endpoint, curve_key, \(PostgresEventStore.supportedLevel), live_epoch, beat,
            lease_ms, state, store_meta.feature_level
        FROM store_meta LEFT JOIN node ON true
        """)

    /// nil for a row that says only what the level is: there is no node.
    private static func status(_ row: ResultRow) throws(StoreError) -> NodeStatus? {
        guard !row.isNull(0) else { return nil }
        let state = try row.text(8)
        guard let life = NodeStatus.Life(rawValue: state) else {
            throw StoreError(.corrupt, "a node has the state \(state), which this version does not know")
        }
        return NodeStatus(
            record: try Self.node(row), liveEpoch: LiveEpoch(rawValue: try row.number(5)),
            beat: try row.number(6), lease: .milliseconds(try row.number(7)), life: life)
    }

    // MARK: Shards

    package func take(_ seen: [ShardRecord], as run: NodeRun) throws(StoreError) -> [ShardOwnership] {
        let rows = seen.sorted { $0.shard < $1.shard }
        var parameters = Parameters()
        parameters.add(shards: rows.map(\.shard))
        parameters.add(numbers: rows.map(\.epoch.rawValue))
        parameters.add(run.owner.node.rawValue)
        parameters.add(run.owner.incarnation.rawValue)
        parameters.add(run.liveEpoch.rawValue)
        return try self.take(seen.map(\.shard), for: run.owner, Self.take, parameters)
    }

    private static let take = PreparedStatement(
        "take",
        PostgresEventStore.taking(
            """
            UPDATE shard SET epoch = shard.epoch + 1, owner_node = $3::text, owner_incarnation = $4::bigint
            FROM unnest($1::integer[], $2::bigint[]) AS seen (shard_id, epoch)
            WHERE shard.shard_id = ANY ($1::integer[]) AND shard.shard_id = seen.shard_id
                AND shard.epoch = seen.epoch AND EXISTS (
                    SELECT FROM node WHERE node_id = $3::text AND incarnation = $4::bigint
                        AND live_epoch = $5::bigint AND state = 'live')
            """))

    package func give(
        _ shard: ShardID, under epoch: Epoch, from owner: ShardRecord.Owner, to other: ShardRecord.Owner
    ) throws(StoreError) -> Bool {
        var parameters = Parameters()
        parameters.add(shard)
        parameters.add(epoch.rawValue)
        parameters.add(owner.incarnation.rawValue)
        parameters.add(other.node.rawValue)
        parameters.add(other.incarnation.rawValue)
        return try self.writers.use { session throws(StoreError) in
            do throws(StatementFailure) {
                return try session.run(Self.give, parameters, refusesWarnings: true).count > 0
            } catch {
                throw StoreError(error, unknown: .unavailable)
            }
        }
    }

    private static let give = PreparedStatement(
        "give",
        """
        UPDATE shard SET epoch = epoch + 1, owner_node = $4::text, owner_incarnation = $5::bigint
        WHERE shard_id = $1::integer AND epoch = $2::bigint AND owner_incarnation = $3::bigint AND EXISTS (
            SELECT FROM node WHERE node_id = $4::text AND incarnation = $5::bigint AND state = 'live')
        RETURNING shard_id
        """)
}
