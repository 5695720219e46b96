package import EventLog

extension PostgresEventStore {
    package func quarantine(_ payload: QuarantinedPayload) async throws(StoreError) {
        let usage = try await self.quarantineUsage()
        let full: StoreError?
        do throws(StoreError) {
            try self.configuration.quarantineLimits.check(payload, beside: usage)
            full = nil
        } catch {
            full = error
        }
        var parameters = Parameters()
        parameters.add(payload.digest)
        parameters.add(payload.reason.withoutNull)
        parameters.add(payload.detail.withoutNull)
        parameters.add(payload.receivedAt)
        parameters.add(payload.raw)
        parameters.add(full == nil ? 1 : 0)
        let results = try await self.write(Self.keep, parameters) { row throws(StoreError) in
            (isKept: try row.flag(0), wasThere: try row.flag(1))
        }
        guard let result = results.first else { return }
        if result.isKept { self.quarantineCount.add(bytes: payload.raw.count, reason: payload.reason) }
        if let full, !result.wasThere { throw full }
    }

    private static let keep = PreparedStatement(
        "quarantine",
        """
        WITH kept AS (
            INSERT INTO quarantine (digest, reason, detail, received_at, raw)
            SELECT $1::bytea, $2::text, $3::text, $4::bigint, $5::bytea WHERE $6::bigint = 1
            ON CONFLICT (digest) DO NOTHING
            RETURNING id
        )
        SELECT EXISTS (SELECT FROM kept), EXISTS (SELECT FROM quarantine WHERE digest = $1::bytea)
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
        let removed = try await self.write(Self.remove, parameters) { row throws(StoreError) in
            (reason: try row.text(0), bytes: Int(try row.number(1)))
        }
        for row in removed { self.quarantineCount.add(rows: -1, bytes: -row.bytes, reason: row.reason) }
    }

    private static let remove = PreparedStatement(
        "quarantine_remove",
        "DELETE FROM quarantine WHERE id = $1::bigint RETURNING reason, octet_length(raw)::bigint")

    package func quarantineDepth() async throws(StoreError) -> Int { try await self.quarantineUsage().rows }

    private func quarantineUsage() async throws(StoreError) -> QuarantineUsage {
        if let usage = self.quarantineCount.usage { return usage }
        let start = ContinuousClock.now
        var usage = QuarantineUsage()
        for row in try await self.rows(
            Self.count, Parameters(),
            { row throws(StoreError) in
                (reason: try row.text(0), rows: Int(try row.number(1)), bytes: Int(try row.number(2)))
            })
        { usage.add(rows: row.rows, bytes: row.bytes, reason: row.reason) }
        self.quarantineCount.set(usage, from: start)
        return usage
    }

    private static let count = PreparedStatement(
        "quarantine_count",
        "SELECT reason, count(*), sum(octet_length(raw))::bigint FROM quarantine GROUP BY reason")
}
