package import EventLog
package import Subscriptions

extension PostgresEventStore {
    /// A statement for each kind, which an index answers however little the planner knows of the table.
    package func removeLookups(of identifiers: [SoughtIdentifier]) async throws(StoreError) {
        for kind in IdentifierHash.Kind.allCases {
            let ofKind = identifiers.filter { $0.kind == kind }
            guard !ofKind.isEmpty else { continue }
            try await self.write(Self.removeHashed, Self.parameters(kind, ofKind.map(\.hash.bytes)))
            let texts = ofKind.flatMap(\.spellings).map { Array($0.utf8) }
            if !texts.isEmpty { try await self.write(Self.removeClear, Self.parameters(kind, texts)) }
        }
    }

    private static func parameters(_ kind: IdentifierHash.Kind, _ values: [[UInt8]]) -> Parameters {
        var parameters = Parameters()
        parameters.add(Int64(kind.rawValue))
        parameters.add(blobs: values)
        return parameters
    }

    private static let removeHashed = PreparedStatement(
        "lookups_remove", "DELETE FROM identifier WHERE kind = $1::bigint AND hash = ANY ($2::bytea[])")

    private static let removeClear = PreparedStatement(
        "lookups_remove_clear", "DELETE FROM lookup WHERE kind = $1::bigint AND value = ANY ($2::bytea[])")

    package func clearLookups(limit: Int) async throws(StoreError) -> [ClearLookup] {
        var parameters = Parameters()
        parameters.add(Int64(limit))
        return try await self.rows(Self.clear, parameters) { row throws(StoreError) in
            ClearLookup(kind: Int(try row.number(0)), value: try row.bytes(1), stream: try row.number(2))
        }
    }

    private static let clear = PreparedStatement(
        "lookups_clear",
        "SELECT kind, value, stream_id FROM lookup WHERE kind >= 0 ORDER BY kind, value, stream_id LIMIT $1::bigint")

    package func replace(_ lookups: [ClearLookup], by hashes: [IdentifierHash?]) async throws(StoreError) {
        let hashed = zip(lookups, hashes).compactMap { lookup, hash in hash.map { (lookup, $0) } }
        var insertion = Parameters()
        insertion.add(numbers: hashed.map { Int64($0.0.kind) })
        insertion.add(blobs: hashed.map(\.1.bytes))
        insertion.add(numbers: hashed.map(\.0.stream))
        // First: what is in neither form is not found.
        try await self.write(Self.insertHashed, insertion)
        guard let last = lookups.last else { return }
        var removal = Parameters()
        removal.add(Int64(last.kind))
        removal.add(last.value)
        removal.add(last.stream)
        try await self.write(Self.removeReplaced, removal)
    }

    private static let insertHashed = PreparedStatement(
        "lookups_hash",
        """
        INSERT INTO identifier (kind, hash, stream_id)
        SELECT * FROM unnest($1::bigint[], $2::bytea[], $3::bigint[]) ON CONFLICT DO NOTHING
        """)

    private static let removeReplaced = PreparedStatement(
        "lookups_replaced",
        "DELETE FROM lookup WHERE (kind, value, stream_id) <= ($1::bigint, $2::bytea, $3::bigint)")
}
