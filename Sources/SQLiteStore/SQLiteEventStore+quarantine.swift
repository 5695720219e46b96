package import EventSourcing
import GRDB
import Synchronization

extension SQLiteEventStore {
    package func quarantine(_ payload: QuarantinedPayload) async throws(StoreError) {
        try await self.changeQuarantine { db in
            let isKnown = try Int.fetchOne(
                db, sql: "SELECT 1 FROM quarantine WHERE digest = ?", arguments: [payload.digest.data])
            guard isKnown == nil else { return }
            var usage = try self.quarantineUsage.withLock(\.self) ?? Self.quarantineUsage(db)
            try self.configuration.quarantineLimits.check(payload, beside: usage)
            try db.execute(
                sql: """
                    INSERT INTO quarantine (digest, reason, detail, received_at, raw) VALUES (?, ?, ?, ?, ?)
                    """,
                arguments: [
                    payload.digest.data, payload.reason, payload.detail, payload.receivedAt, payload.raw.data,
                ])
            usage.add(bytes: payload.raw.count, reason: payload.reason)
            self.quarantineUsage.withLock { $0 = usage }
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
        try await self.changeQuarantine { db in
            guard
                let row = try Row.fetchOne(
                    db, sql: "DELETE FROM quarantine WHERE id = ? RETURNING reason, length(raw)", arguments: [id])
            else { return }
            let (reason, bytes) = (try row.decode(String.self, atIndex: 0), try row.decode(Int.self, atIndex: 1))
            self.quarantineUsage.withLock { $0?.add(rows: -1, bytes: -bytes, reason: reason) }
        }
    }

    /// Writes, and keeps `quarantineUsage` with what is written: `body` runs one at a time. It is counted again after a
    /// failure, since nobody knows then whether what was added is there.
    private func changeQuarantine(_ body: @escaping @Sendable (Database) throws -> Void) async throws(StoreError) {
        do throws(StoreError) {
            try await self.write(body)
        } catch {
            if error.code != .full { self.quarantineUsage.withLock { $0 = nil } }
            throw error
        }
    }

    package func quarantineDepth() async throws(StoreError) -> Int {
        if let usage = self.quarantineUsage.withLock(\.self) { return usage.rows }
        return try await self.read { db in try Int.fetchOne(db, sql: "SELECT count(*) FROM quarantine") ?? 0 }
    }

    private static func quarantineUsage(_ db: Database) throws -> QuarantineUsage {
        var usage = QuarantineUsage()
        let sql = "SELECT reason, count(*), sum(length(raw)) FROM quarantine GROUP BY reason"
        for row in try Row.fetchAll(db, sql: sql) {
            usage.add(
                rows: try row.decode(atIndex: 1), bytes: try row.decode(atIndex: 2), reason: try row.decode(atIndex: 0))
        }
        return usage
    }
}
