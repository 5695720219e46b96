package import EventSourcing
import GRDB

extension SQLiteEventStore {
    package func quarantine(_ payload: QuarantinedPayload) async throws(StoreError) {
        let limit = self.configuration.quarantineLimit
        try await self.write { db in
            let isKnown = try Int.fetchOne(
                db, sql: "SELECT 1 FROM quarantine WHERE digest = ?", arguments: [payload.digest.data])
            guard isKnown == nil else { return }
            guard try Self.quarantineDepth(db) < limit else {
                throw StoreError(.full, "the quarantine holds \(limit) payloads, as many as it may")
            }
            try db.execute(
                sql: """
                    INSERT INTO quarantine (digest, reason, detail, received_at, raw) VALUES (?, ?, ?, ?, ?)
                    """,
                arguments: [
                    payload.digest.data, payload.reason, payload.detail, payload.receivedAt, payload.raw.data,
                ])
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
        try await self.write { db in
            try db.execute(sql: "DELETE FROM quarantine WHERE id = ?", arguments: [id])
        }
    }

    package func quarantineDepth() async throws(StoreError) -> Int {
        try await self.read { db in try Self.quarantineDepth(db) }
    }

    private static func quarantineDepth(_ db: Database) throws -> Int {
        try Int.fetchOne(db, sql: "SELECT count(*) FROM quarantine") ?? 0
    }
}
