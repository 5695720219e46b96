import EventLog
import Subscriptions

/// The append: one statement for all shards of a batch, and so one transaction without a round trip in it. A client
/// that is stopped half way holds no lock that a take-over would have to wait for.
///
/// Its parts run on one snapshot and hand on rows: `taken` moves the heads of those shards whose fences hold, and is
/// all that the others look at; `row` writes their streams and knows these' numbers; events and look-ups go by these. Few
/// batches leave something to do elsewhere: a statement of its own has the part that writes it.
/// Only `shard` is joined to what a client sends; the other tables are met by the keys of their unique indexes.
enum AppendStatement {
    /// - Parameter sends: a batch has an outbox.
    static func statement(_ guards: Guards, sends: Bool) -> PreparedStatement {
        switch (guards.contains(.fence), sends) {
        case (true, false): Self.fenced
        case (true, true): Self.sending
        case (false, false): Self.unfenced
        case (false, true): Self.unfencedSending
        }
    }

    private static let fenced = PreparedStatement("append", Self.sql(fence: Self.fence, sent: ""))
    private static let sending = PreparedStatement("append_sending", Self.sql(fence: Self.fence, sent: Self.sent))

    /// For tests.
    private static let unfenced = PreparedStatement("append", Self.sql(fence: "", sent: ""))
    private static let unfencedSending = PreparedStatement("append_sending", Self.sql(fence: "", sent: Self.sent))

    private static let fence = """
        AND shard.epoch = wanted.epoch AND shard.owner_incarnation = wanted.incarnation
        AND shard.head_seq = wanted.head
        """

    private static let sent = """
        , sent AS (
            INSERT INTO inbox (dedup_key, shard_id, received_at, raw)
            SELECT given.dedup_key, given.shard_id, given.received_at, given.raw
            FROM unnest($29::integer[], $30::bytea[], $31::integer[], $32::bigint[], $33::bytea[])
                AS given (source, dedup_key, shard_id, received_at, raw)
            JOIN taken ON taken.shard_id = given.source
            ON CONFLICT (dedup_key) DO NOTHING
        )
        """

    private static func sql(fence: String, sent: String) -> String {
        """
        WITH taken AS (
            UPDATE shard SET head_seq = wanted.new_head
            FROM unnest($1::integer[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[])
                AS wanted (shard_id, epoch, incarnation, head, new_head)
            WHERE shard.shard_id = ANY ($1::integer[]) AND shard.shard_id = wanted.shard_id \(fence)
            RETURNING shard.shard_id, wanted.epoch
        ), written AS (
            INSERT INTO stream (shard_id, key, version, seq, state, entitlement, next_due)
            SELECT given.shard_id, given.key, given.version, given.seq, given.state, given.entitlement, given.next_due
            FROM unnest($6::integer[], $7::bytea[], $8::bigint[], $9::bigint[], $10::bytea[], $11::bytea[],
                    $12::bigint[])
                AS given (shard_id, key, version, seq, state, entitlement, next_due)
            JOIN taken ON taken.shard_id = given.shard_id
            ON CONFLICT (shard_id, key) DO UPDATE
            SET version = excluded.version, seq = excluded.seq, state = excluded.state,
                entitlement = excluded.entitlement, next_due = excluded.next_due
            RETURNING id, shard_id, key
        ), numbered AS (
            SELECT written.id, place.number, taken.epoch
            FROM unnest($6::integer[], $7::bytea[]) WITH ORDINALITY AS place (shard_id, key, number)
            JOIN written ON written.shard_id = place.shard_id AND written.key = place.key
            JOIN taken ON taken.shard_id = place.shard_id
        ), logged AS (
            INSERT INTO event (shard_id, seq, epoch, stream_id, version, kind, dedup_key, at, body, entitlement)
            SELECT given.shard_id, given.seq, numbered.epoch, numbered.id, given.version, given.kind, given.dedup_key,
                given.at, given.body, given.entitlement
            FROM unnest($13::integer[], $14::bigint[], $15::bigint[], $16::bigint[], $17::text[], $18::bytea[],
                    $19::bigint[], $20::bytea[], $21::bytea[])
                AS given (shard_id, seq, stream, version, kind, dedup_key, at, body, entitlement)
            JOIN numbered ON numbered.number = given.stream
        ), kept AS (
            INSERT INTO evidence (shard_id, seq, headers, body)
            SELECT given.shard_id, given.seq, given.headers, given.body
            FROM unnest($22::integer[], $23::bigint[], $24::text[], $25::bytea[])
                AS given (shard_id, seq, headers, body)
            JOIN taken ON taken.shard_id = given.shard_id
        ), found AS (
            INSERT INTO identifier (kind, hash, stream_id)
            SELECT given.kind, given.hash, numbered.id
            FROM unnest($26::bigint[], $27::bytea[], $28::bigint[]) AS given (kind, hash, stream)
            JOIN numbered ON numbered.number = given.stream
            ON CONFLICT (kind, hash, stream_id) DO NOTHING
        )\(sent)
        SELECT shard_id FROM taken
        """
    }

    /// - Parameters:
    ///   - batches: checked, and in the order of their shards: all who append or claim lock rows in that order.
    ///   - places: of the streams' rows by key, for each batch.
    ///   - headers: the numbers of all segments that the batches' evidence has.
    static func parameters(
        _ batches: [ShardBatch], places: [[[UInt8]: Int]], headers: HeaderNumbers.Numbers, sends: Bool
    ) -> Parameters {
        var parameters = Parameters()
        parameters.add(shards: batches.map(\.shard))
        parameters.add(numbers: batches.map(\.epoch.rawValue))
        parameters.add(numbers: batches.map(\.incarnation.rawValue))
        parameters.add(numbers: batches.map(\.head.rawValue))
        parameters.add(numbers: batches.map { $0.head.rawValue + Int64($0.events.count) })
        Self.add(streams: batches, to: &parameters)
        Self.add(events: EventColumns(batches, places: places), to: &parameters)
        Self.add(evidenceOf: batches, headers: headers, to: &parameters)
        Self.add(lookupsOf: batches, places: places, to: &parameters)
        if sends { Self.add(outboxesOf: batches, to: &parameters) }
        return parameters
    }

    private static func add(streams batches: [ShardBatch], to parameters: inout Parameters) {
        let rows = batches.flatMap(\.streams)
        parameters.add(shards: batches.flatMap { batch in batch.streams.map { _ in batch.shard } })
        parameters.add(blobs: rows.map(\.key))
        parameters.add(numbers: rows.map(\.version.rawValue))
        parameters.add(numbers: rows.map(\.sequence.rawValue))
        parameters.add(blobs: rows.map(\.state))
        parameters.add(blobs: rows.map(\.entitlement))
        parameters.add(numbersOrNull: rows.map(\.nextDue))
    }

    /// What an event's row has beside the event itself.
    private struct EventColumns {
        var shards: [ShardID] = []
        var sequences: [Int64] = []
        /// The places of the streams among the rows of all batches, from 1 on.
        var streams: [Int64] = []
        var events: [NewEvent] = []

        init(_ batches: [ShardBatch], places: [[[UInt8]: Int]]) {
            var first: Int64 = 1
            for (batch, places) in zip(batches, places) {
                for (index, event) in batch.events.enumerated() {
                    self.shards.append(batch.shard)
                    self.sequences.append(batch.head.rawValue + Int64(index) + 1)
                    self.streams.append(first + Int64(places[event.key] ?? -1))
                }
                self.events += batch.events
                first += Int64(batch.streams.count)
            }
        }
    }

    private static func add(events columns: EventColumns, to parameters: inout Parameters) {
        parameters.add(shards: columns.shards)
        parameters.add(numbers: columns.sequences)
        parameters.add(numbers: columns.streams)
        parameters.add(numbers: columns.events.map(\.version.rawValue))
        parameters.add(texts: columns.events.map(\.kind))
        parameters.add(blobs: columns.events.map(\.dedupKey))
        parameters.add(numbers: columns.events.map(\.at))
        parameters.add(blobs: columns.events.map(\.body))
        parameters.add(blobs: columns.events.map(\.entitlement))
    }

    private static func add(
        evidenceOf batches: [ShardBatch], headers: HeaderNumbers.Numbers, to parameters: inout Parameters
    ) {
        var shards: [ShardID] = []
        var sequences: [Int64] = []
        var kept: [EncodedEvidence] = []
        for batch in batches {
            for (index, event) in batch.events.enumerated() {
                guard let evidence = event.evidence else { continue }
                shards.append(batch.shard)
                sequences.append(batch.head.rawValue + Int64(index) + 1)
                kept.append(evidence)
            }
        }
        parameters.add(shards: shards)
        parameters.add(numbers: sequences)
        parameters.add(
            texts: kept.map { $0.headers.compactMap(headers.number).map(String.init).joined(separator: ",") })
        parameters.add(blobs: kept.map(\.body))
    }

    private static func add(
        lookupsOf batches: [ShardBatch], places: [[[UInt8]: Int]], to parameters: inout Parameters
    ) {
        var lookups: [Lookup] = []
        var streams: [Int64] = []
        var first: Int64 = 1
        for (batch, places) in zip(batches, places) {
            for lookup in batch.lookups {
                lookups.append(lookup)
                streams.append(first + Int64(places[lookup.key] ?? -1))
            }
            first += Int64(batch.streams.count)
        }
        parameters.add(numbers: lookups.map { Int64($0.kind.rawValue) })
        parameters.add(blobs: lookups.map(\.hash.bytes))
        parameters.add(numbers: streams)
    }

    private static func add(outboxesOf batches: [ShardBatch], to parameters: inout Parameters) {
        let rows = batches.flatMap(\.outbox)
        parameters.add(shards: batches.flatMap { batch in batch.outbox.map { _ in batch.shard } })
        parameters.add(blobs: rows.map(\.dedupKey))
        parameters.add(shards: rows.map(\.shard))
        parameters.add(numbers: rows.map(\.receivedAt))
        parameters.add(blobs: rows.map(\.raw))
    }
}
