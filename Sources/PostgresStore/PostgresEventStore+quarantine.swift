package import EventSourcing

extension PostgresEventStore {
    package func quarantine(_ payload: QuarantinedPayload) async throws(StoreError) {
        let limit = self.configuration.quarantineLimit
        var parameters = Parameters()
        parameters.add(payload.digest)
        parameters.add(payload.reason.withoutNull)
        parameters.add(payload.detail.withoutNull)
        parameters.add(payload.receivedAt)
        parameters.add(payload.raw)
        parameters.add(Int64(limit))
        let isFull = try await self.write(Self.keep, parameters) { row throws(StoreError) in try row.flag(0) }
        guard isFull != [true] else {
            throw StoreError(.full, "the quarantine holds \(limit) payloads, as many as it may")
        }
    }

    private static let keep = PreparedStatement(
        "quarantine",
        """
        WITH present AS (
            SELECT (SELECT count(*) FROM quarantine) >= $6::bigint
                AND NOT EXISTS (SELECT FROM quarantine WHERE digest = $1::bytea) AS is_full
        ), kept AS (
            INSERT INTO quarantine (digest, reason, detail, received_at, raw)
            SELECT $1::bytea, $2::text, $3::text, $4::bigint, $5::bytea FROM present WHERE NOT is_full
            ON CONFLICT (digest) DO NOTHING
        )
        SELECT is_full FROM present
        """)

    package func quarantined(after id: Int64, limit: Int) async throws(StoreError) -> [QuarantinedPayload] {
        var parameters = Parameters()
        parameters.add(id)
        parameters.add(Int64(limit))
        return try await self.rows(Self.page, parameters) { row throws(StoreError) in
            QuarantinedPayload(
                id: try row.number(0), digest: try row.bytes(1), reason: try row.text(2), detail: try row.text(3),
                receivedAt: try row.number(4), raw: try row.bytes(5))
        }
    }

    private static let page = PreparedStatement(
        "quarantined",
        """
        SELECT id, digest, reason, detail, received_at, raw FROM quarantine
        WHERE id > $1::bigint ORDER BY id LIMIT $2::bigint
        """)

    package func removeQuarantined(_ id: Int64) async throws(StoreError) {
        var parameters = Parameters()
        parameters.add(id)
        try await self.write(
            PreparedStatement("quarantine_remove", "DELETE FROM quarantine WHERE id = $1::bigint"), parameters)
    }

    package func quarantineDepth() async throws(StoreError) -> Int {
        let statement = PreparedStatement("quarantine_depth", "SELECT count(*) FROM quarantine")
        return Int(try await self.first(statement) { row throws(StoreError) in try row.number(0) } ?? 0)
    }
}
