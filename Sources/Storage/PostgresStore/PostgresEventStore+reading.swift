package import EventLog
import Subscriptions

extension PostgresEventStore {
    // MARK: What an owner needs before it decides

    /// In one statement, and so in one snapshot.
    package func load(_ requests: [LoadRequest]) async throws(StoreError) -> [LoadAnswer] {
        guard requests.contains(where: { !$0.isEmpty }) else { return requests.map { _ in LoadAnswer() } }
        let rows = try await self.rows(Self.load, Self.parameters(requests), LoadedRow.init)
        var answers = requests.map { _ in LoadAnswer() }
        // Numbers count the keys of all requests, in order.
        let owners = requests.indices.flatMap { index in requests[index].keys.map { _ in index } }
        let eventOwners = requests.indices.flatMap { index in requests[index].dedupKeys.map { _ in index } }
        for row in rows {
            switch row {
            case .stream(let number, let stream):
                guard owners.indices.contains(number) else { continue }
                answers[owners[number]].streams.append(stream)
            case .event(let number, let event):
                guard eventOwners.indices.contains(number) else { continue }
                answers[eventOwners[number]].events.append(event)
            }
        }
        return answers
    }

    private static func parameters(_ requests: [LoadRequest]) -> Parameters {
        var parameters = Parameters()
        parameters.add(shards: requests.flatMap { request in request.keys.map { _ in request.shard } })
        parameters.add(blobs: requests.flatMap(\.keys))
        parameters.add(shards: requests.flatMap { request in request.dedupKeys.map { _ in request.shard } })
        parameters.add(blobs: requests.flatMap(\.dedupKeys))
        return parameters
    }

    private enum LoadedRow: Sendable {
        case stream(Int, StreamRow)
        case event(Int, StoredEvent)

        init(_ row: ResultRow) throws(StoreError) {
            let number = Int(try row.number(1)) - 1
            if try row.flag(0) {
                self = .event(
                    number,
                    StoredEvent(
                        shard: try row.shard(8), sequence: LogSequence(rawValue: try row.number(4)),
                        epoch: Epoch(rawValue: try row.number(9)), key: try row.bytes(2),
                        version: StreamVersion(rawValue: try row.number(3)), kind: try row.text(10),
                        dedupKey: try row.bytes(11), at: try row.number(7), body: try row.bytes(5),
                        entitlement: try row.bytes(6)))
            } else {
                self = .stream(number, try StreamRow(row, from: 2))
            }
        }
    }

    private static let load = PreparedStatement(
        "load",
        """
        SELECT false AS is_event, wanted.number, \(StreamRow.columns),
            NULL::integer, NULL::bigint, NULL::text, NULL::bytea
        FROM unnest($1::integer[], $2::bytea[]) WITH ORDINALITY AS wanted (shard_id, key, number)
        JOIN stream ON stream.shard_id = wanted.shard_id AND stream.key = wanted.key
        UNION ALL
        SELECT true, wanted.number, stream.key, event.version, event.seq, event.body, event.entitlement, event.at,
            event.shard_id, event.epoch, event.kind, event.dedup_key
        FROM unnest($3::integer[], $4::bytea[]) WITH ORDINALITY AS wanted (shard_id, dedup_key, number)
        JOIN event ON event.shard_id = wanted.shard_id AND event.dedup_key = wanted.dedup_key
        JOIN stream ON stream.id = event.stream_id
        ORDER BY 1, 2
        """)

    package func streams(_ keys: [[UInt8]], in shard: ShardID) async throws(StoreError) -> [StreamRow] {
        try await self.load([LoadRequest(shard: shard, keys: keys)])[0].streams
    }

    package func events(
        withDedupKeys dedupKeys: [[UInt8]], in shard: ShardID
    ) async throws(StoreError) -> [StoredEvent] {
        try await self.load([LoadRequest(shard: shard, dedupKeys: dedupKeys)])[0].events
    }

    // MARK: Streams

    package func streams(
        withPrefix prefix: [UInt8], in shard: ShardID, limit: Int
    ) async throws(StoreError) -> [StreamRow] {
        try await self.streams(withPrefixes: [(shard, prefix)], limit: limit)[0]
    }

    package func streams(
        withPrefixes prefixes: [(shard: ShardID, prefix: [UInt8])], limit: Int
    ) async throws(StoreError) -> [[StreamRow]] {
        var parameters = Parameters()
        parameters.add(shards: prefixes.map(\.shard))
        parameters.add(blobs: prefixes.map(\.prefix))
        parameters.add(blobsOrNull: prefixes.map { Self.end(ofPrefix: $0.prefix) })
        parameters.add(Int64(limit))
        let rows = try await self.rows(Self.byPrefix, parameters) { row throws(StoreError) in
            (number: Int(try row.number(0)) - 1, row: try StreamRow(row, from: 1))
        }
        var found = [[StreamRow]](repeating: [], count: prefixes.count)
        for (number, row) in rows where found.indices.contains(number) { found[number].append(row) }
        return found
    }

    /// A prefix that no bytes come after has a part of its own: one condition for both would have no end in the index,
    /// and read on to the end of the shard.
    private static let byPrefix = PreparedStatement(
        "streams_by_prefix",
        """
        SELECT wanted.number, found.*
        FROM unnest($1::integer[], $2::bytea[], $3::bytea[]) WITH ORDINALITY AS wanted (shard_id, first, past, number)
        CROSS JOIN LATERAL (
            (SELECT \(StreamRow.columns) FROM stream
            WHERE stream.shard_id = wanted.shard_id AND stream.key >= wanted.first AND stream.key < wanted.past
            ORDER BY stream.key LIMIT $4::bigint)
            UNION ALL
            (SELECT \(StreamRow.columns) FROM stream
            WHERE wanted.past IS NULL AND stream.shard_id = wanted.shard_id AND stream.key >= wanted.first
            ORDER BY stream.key LIMIT $4::bigint)
        ) AS found
        ORDER BY wanted.number, found.key
        """)

    /// The smallest bytes that come after all that start with `prefix`; nil when there are none.
    private static func end(ofPrefix prefix: [UInt8]) -> [UInt8]? {
        guard let place = prefix.lastIndex(where: { $0 < 0xFF }) else { return nil }
        return prefix[..<place] + [prefix[place] + 1]
    }

    package func streams(in shard: ShardID, after key: [UInt8]?, limit: Int) async throws(StoreError) -> [StreamRow] {
        guard let key else { return try await self.streams(withPrefix: [], in: shard, limit: limit) }
        var parameters = Parameters()
        parameters.add(shard)
        parameters.add(key)
        parameters.add(Int64(limit))
        return try await self.rows(Self.page, parameters) { row throws(StoreError) in try StreamRow(row) }
    }

    private static let page = PreparedStatement(
        "streams_page",
        """
        SELECT \(StreamRow.columns) FROM stream WHERE shard_id = $1::integer AND key > $2::bytea
        ORDER BY key LIMIT $3::bigint
        """)

    package func due(in shard: ShardID, at moment: Int64, limit: Int) async throws(StoreError) -> [StreamRow] {
        var parameters = Parameters()
        parameters.add(shard)
        parameters.add(moment)
        parameters.add(Int64(limit))
        return try await self.rows(Self.due, parameters) { row throws(StoreError) in try StreamRow(row) }
    }

    private static let due = PreparedStatement(
        "streams_due",
        """
        SELECT \(StreamRow.columns) FROM stream WHERE shard_id = $1::integer AND next_due <= $2::bigint
        ORDER BY next_due, key LIMIT $3::bigint
        """)

    package func nextDue(in shard: ShardID) async throws(StoreError) -> Int64? {
        var parameters = Parameters()
        parameters.add(shard)
        return try await self.first(Self.nextDue, parameters) { row throws(StoreError) in try row.number(0) }
    }

    private static let nextDue = PreparedStatement(
        "next_due",
        """
        SELECT next_due FROM stream WHERE shard_id = $1::integer AND next_due IS NOT NULL ORDER BY next_due LIMIT 1
        """)

    package func streams(for identifiers: [SoughtIdentifier]) async throws(StoreError) -> [[[UInt8]]] {
        guard !identifiers.isEmpty else { return [] }
        let spellings = identifiers.enumerated().flatMap { place, identifier in
            identifier.spellings.map { (place: Int64(place), kind: identifier.kind, value: Array($0.utf8)) }
        }
        var parameters = Parameters()
        parameters.add(numbers: identifiers.indices.map(Int64.init))
        parameters.add(numbers: identifiers.map { Int64($0.kind.rawValue) })
        parameters.add(blobs: identifiers.map(\.hash.bytes))
        parameters.add(numbers: spellings.map(\.place))
        parameters.add(numbers: spellings.map { Int64($0.kind.rawValue) })
        parameters.add(blobs: spellings.map(\.value))
        let found = try await self.rows(Self.identifiers, parameters) { row throws(StoreError) in
            (place: Int(try row.number(0)), key: try row.bytes(1))
        }
        var keys = [[[UInt8]]](repeating: [], count: identifiers.count)
        for (place, key) in found { keys[place].append(key) }
        return keys.map(\.sortedOnce)
    }

    /// Each identifier is looked for by itself, and so by the index, however few rows the planner knows of.
    private static let identifiers = PreparedStatement(
        "identifiers",
        """
        SELECT sought.place, (SELECT key FROM stream WHERE id = found.stream_id)
        FROM unnest($1::bigint[], $2::bigint[], $3::bytea[]) AS sought (place, kind, hash)
        CROSS JOIN LATERAL (
            SELECT stream_id FROM identifier WHERE kind = sought.kind AND hash = sought.hash OFFSET 0
        ) AS found
        UNION ALL
        SELECT sought.place, (SELECT key FROM stream WHERE id = found.stream_id)
        FROM unnest($4::bigint[], $5::bigint[], $6::bytea[]) AS sought (place, kind, value)
        CROSS JOIN LATERAL (
            SELECT stream_id FROM lookup WHERE kind = sought.kind AND value = sought.value OFFSET 0
        ) AS found
        """)

    // MARK: Events

    package func events(
        of key: [UInt8], in shard: ShardID, after version: StreamVersion, limit: Int
    ) async throws(StoreError) -> [StoredEvent] {
        var parameters = Parameters()
        parameters.add(shard)
        parameters.add(key)
        parameters.add(version.rawValue)
        parameters.add(Int64(limit))
        return try await self.rows(Self.ofStream, parameters) { row throws(StoreError) in try StoredEvent(row) }
    }

    /// The stream's number comes first: then one index has the events, in order.
    private static let ofStream = PreparedStatement(
        "events_of_stream",
        """
        SELECT \(StoredEvent.columns)
        FROM (SELECT id, key FROM stream WHERE shard_id = $1::integer AND key = $2::bytea) AS stream
        JOIN event ON event.stream_id = stream.id
        WHERE event.version > $3::bigint ORDER BY event.version LIMIT $4::bigint
        """)

    package func events(
        in shard: ShardID, after sequence: LogSequence, limit: Int
    ) async throws(StoreError) -> [StoredEvent] {
        var parameters = Parameters()
        parameters.add(shard)
        parameters.add(sequence.rawValue)
        parameters.add(Int64(limit))
        return try await self.rows(Self.ofShard, parameters) { row throws(StoreError) in try StoredEvent(row) }
    }

    private static let ofShard = PreparedStatement(
        "events_of_shard",
        """
        SELECT \(StoredEvent.columns) FROM event JOIN stream ON stream.id = event.stream_id
        WHERE event.shard_id = $1::integer AND event.seq > $2::bigint ORDER BY event.seq LIMIT $3::bigint
        """)
}
