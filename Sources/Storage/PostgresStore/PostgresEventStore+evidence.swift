package import EventLog
import Evidence

extension PostgresEventStore {
    package func evidence(of sequence: LogSequence, in shard: ShardID) async throws(StoreError) -> Evidence? {
        var parameters = Parameters()
        parameters.add(shard)
        parameters.add(sequence.rawValue)
        guard let stored = try await self.first(Self.one, parameters, StoredEvidence.init) else { return nil }
        guard case .kept(let headers, let body) = stored.content else { return stored.hash }
        return .kept(try await self.decode(headers, body, with: self.segments(of: headers)))
    }

    package func headerSegments(limit: Int) async throws(StoreError) -> [[UInt8]] {
        var parameters = Parameters()
        parameters.add(Int64(limit))
        return try await self.rows(Self.newestSegments, parameters) { row throws(StoreError) in try row.bytes(0) }
    }

    /// In two statements, each as good as done when it is repeated. The bytes stay in the files until the table is
    /// vacuumed, and in the server's log and its backups as long as these are kept.
    package func eraseEvidence(of key: [UInt8], in shard: ShardID) async throws(StoreError) {
        var parameters = Parameters()
        parameters.add(shard)
        parameters.add(key)
        let kept = try await self.rows(Self.ofStream, parameters, StoredEvidence.init)
        guard !kept.isEmpty else { return }
        let segments = try await self.segments(of: kept.flatMap(\.headers))
        var erase = Parameters()
        var hashes: [[UInt8]] = []
        for evidence in kept {
            guard case .kept(let headers, let body) = evidence.content else { continue }
            hashes.append(ContentHash.sha256(of: try self.decode(headers, body, with: segments)))
        }
        erase.add(shard)
        erase.add(numbers: kept.map(\.sequence))
        erase.add(blobs: hashes)
        try await self.write(Self.erase, erase)
    }

    /// The bytes of the bodies before stay in the files as those of erased evidence do.
    package func replaceBodies(_ replacements: [BodyReplacement], in shard: ShardID) async throws(StoreError) {
        guard !replacements.isEmpty else { return }
        var parameters = Parameters()
        parameters.add(shard)
        parameters.add(numbers: replacements.map(\.sequence.rawValue))
        parameters.add(blobs: replacements.map(\.old))
        parameters.add(blobs: replacements.map(\.new))
        try await self.write(Self.replaceBodies, parameters)
    }

    private static let replaceBodies = PreparedStatement(
        "event_replace_bodies",
        """
        UPDATE event SET body = given.new
        FROM unnest($2::bigint[], $3::bytea[], $4::bytea[]) AS given (seq, old, new)
        WHERE event.shard_id = $1::integer AND event.seq = given.seq AND event.body = given.old
        """)

    private func segments(of headers: [Int64]) async throws(StoreError) -> [Int64: [UInt8]] {
        var parameters = Parameters()
        parameters.add(numbers: Set(headers).sorted())
        let rows = try await self.rows(Self.segments, parameters) { row throws(StoreError) in
            (number: try row.number(0), segment: try row.bytes(1))
        }
        return Dictionary(rows.map { ($0.number, $0.segment) }, uniquingKeysWith: { $1 })
    }

    private func decode(
        _ headers: [Int64], _ body: [UInt8], with segments: [Int64: [UInt8]]
    ) throws(StoreError) -> [EvidencePart] {
        var found: [[UInt8]] = []
        for number in headers {
            guard let segment = segments[number] else {
                throw StoreError(.corrupt, "evidence refers to a header segment that is not there")
            }
            found.append(segment)
        }
        return try self.codec.decode(EncodedEvidence(headers: found, body: body))
    }

    private static let one = PreparedStatement(
        "evidence",
        "SELECT seq, headers, body, erased FROM evidence WHERE shard_id = $1::integer AND seq = $2::bigint")

    private static let ofStream = PreparedStatement(
        "evidence_of_stream",
        """
        SELECT evidence.seq, evidence.headers, evidence.body, evidence.erased
        FROM stream JOIN event ON event.stream_id = stream.id
            JOIN evidence ON evidence.shard_id = event.shard_id AND evidence.seq = event.seq
        WHERE stream.shard_id = $1::integer AND stream.key = $2::bytea AND evidence.erased IS NULL
        """)

    private static let erase = PreparedStatement(
        "evidence_erase",
        """
        UPDATE evidence SET headers = NULL, body = NULL, erased = given.hash
        FROM unnest($2::bigint[], $3::bytea[]) AS given (seq, hash)
        WHERE evidence.shard_id = $1::integer AND evidence.seq = given.seq AND evidence.erased IS NULL
        """)

    private static let newestSegments = PreparedStatement(
        "header_segments_newest", "SELECT segment FROM jws_header ORDER BY id DESC LIMIT $1::bigint")

    private static let segments = PreparedStatement(
        "header_segments", "SELECT id, segment FROM jws_header WHERE id = ANY ($1::bigint[])")
}

/// A row of `evidence`.
private struct StoredEvidence: Sendable {
    enum Content {
        case kept(headers: [Int64], body: [UInt8])
        case erased(sha256: [UInt8])
    }

    let sequence: Int64
    let content: Content

    /// Of the columns seq, headers, body, erased.
    init(_ row: ResultRow) throws(StoreError) {
        self.sequence = try row.number(0)
        guard !row.isNull(2) else {
            self.content = .erased(sha256: try row.bytes(3))
            return
        }
        var headers: [Int64] = []
        for number in try row.text(1).split(separator: ",") {
            guard let number = Int64(number) else {
                throw StoreError(.corrupt, "evidence refers to a header segment that is not there")
            }
            headers.append(number)
        }
        self.content = .kept(headers: headers, body: try row.bytes(2))
    }

    var headers: [Int64] {
        guard case .kept(let headers, _) = self.content else { return [] }
        return headers
    }

    var hash: Evidence? {
        guard case .erased(let sha256) = self.content else { return nil }
        return .erased(sha256: sha256)
    }
}
