package import EventLog
import GRDB
import Synchronization

extension SQLiteEventStore {
    package func quarantine(_ payload: QuarantinedPayload) async throws(StoreError) {
        let limits = self.configuration.quarantineLimits
        try await self.changeQuarantine { db, usage in
            let isKnown = try Int.fetchOne(
                db, sql: "SELECT 1 FROM quarantine WHERE digest = ?", arguments: [payload.digest.data])
            guard isKnown == nil else { return }
            try limits.check(payload, beside: usage)
            try db.execute(
                sql: """
                    INSERT INTO quarantine (digest, reason, detail, received_at, raw) VALUES (?, ?, ?, ?, ?)
                    """,
                arguments: [
                    payload.digest.data, payload.reason, payload.detail, payload.receivedAt, payload.raw.data,
                ])
            usage.add(bytes: payload.raw.count, reason: payload.reason)
        }
    }

    package func quarantined(after id: Int64, limit: Int) async throws(StoreError) -> [QuarantinedPayload] {
        try await self.read { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT id, digest, reason, detail, received_at, raw FROM quarantine
                    WHERE id > ? ORDER BY id LIMIT ?
                    """,
                arguments: [id, limit]
            ).map { row in
                QuarantinedPayload(
                    id: try row.decode(atIndex: 0), digest: try row.bytes(1), reason: try row.decode(atIndex: 2),
                    detail: try row.decode(atIndex: 3), receivedAt: try row.decode(atIndex: 4), raw: try row.bytes(5))
            }
        }
    }

    package func removeQuarantined(_ id: Int64) async throws(StoreError) {
        try await self.changeQuarantine { db, usage in
            guard
                let row = try Row.fetchOne(
                    db, sql: "DELETE FROM quarantine WHERE id = ? RETURNING reason, length(raw)", arguments: [id])
            else { return }
            let bytes: Int = try row.decode(atIndex: 1)
            usage.add(rows: -1, bytes: -bytes, reason: try row.decode(atIndex: 0))
        }
    }

    package func quarantineDepth() async throws(StoreError) -> Int {
        if let usage = self.quarantineUsage.withLock(\.self) { return usage.rows }
        return try await self.read { db in try Int.fetchOne(db, sql: "SELECT count(*) FROM quarantine") ?? 0 }
    }

    /// Writes, and keeps `quarantineUsage` with what is written: `body` runs one at a time. It is counted again after a
    /// failure, since nobody knows then whether what was added is there.
    private func changeQuarantine(
        _ body: @escaping @Sendable (Database, inout QuarantineUsage) throws -> Void
    ) async throws(StoreError) {
        let counted = await self.countedQuarantine()
        do throws(StoreError) {
            try await self.write { db in
                var usage = try self.quarantineUsage.withLock(\.self) ?? counted ?? Self.countQuarantine(db)
                try body(db, &usage)
                self.quarantineUsage.withLock { $0 = usage }
            }
        } catch {
            if error.code != .full { self.quarantineUsage.withLock { $0 = nil } }
            throw error
        }
    }

    /// Counted on a reader where it is not known yet, so that no writer waits: a second for 20,000 rows that are not in memory.
    /// - Returns: nil when that cannot be read, or the caller is cancelled, which undoes no write.
    private func countedQuarantine() async -> QuarantineUsage? {
        if let usage = self.quarantineUsage.withLock(\.self) { return usage }
        return try? await self.read { db in try Self.countQuarantine(db) }
    }

    private static func countQuarantine(_ db: Database) throws -> QuarantineUsage {
        let isStrangers = "reason IN (\(QuarantinedPayload.strangersReasons.map { "'\($0)'" }.joined(separator: ", ")))"
        let row = try Row.fetchOne(
            db,
            sql: """
                SELECT count(*), ifnull(sum(length(raw)), 0), count(*) FILTER (WHERE \(isStrangers)),
                    ifnull(sum(length(raw)) FILTER (WHERE \(isStrangers)), 0)
                FROM quarantine
                """)
        guard let row else { return QuarantineUsage() }
        return QuarantineUsage(
            rows: try row.decode(atIndex: 0), bytes: try row.decode(atIndex: 1),
            strangersRows: try row.decode(atIndex: 2), strangersBytes: try row.decode(atIndex: 3))
    }
}
