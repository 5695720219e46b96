package import EventLog
import Evidence
import GRDB
import Synchronization

/// The event store in one SQLite file, for one node: the embedded default.
///
/// Commits are durable when they return (write-ahead log, `synchronous=FULL`). Reads run on connections of their own, on
/// snapshots, and never wait for the writer. One process at a time has the file.
package final class SQLiteEventStore: EventStore {
    package let identity: StoreIdentity
    /// Whether this has made the store.
    package let isNew: Bool
    package let appendConcurrency = 1
    let configuration: SQLiteConfiguration
    let codec = EvidenceCodec()
    let headers = Mutex(HeaderNumbers())
    /// nil until it was counted. Changed where it is written about, and so in the order of the commits.
    let quarantineUsage = Mutex<QuarantineUsage?>(nil)
    private let pool: DatabasePool
    private let place: FilePlace
    /// Declared after the connections, so that it outlives them.
    private let writeAheadLog = WriteAheadLog()
    /// Set once a commit or a checkpoint has failed with an I/O error: after a failed fsync the kernel may have dropped
    /// what it could not write, and the next fsync would succeed all the same.
    private let needsReopening = Mutex(false)
    /// What SQLite has found in the file, once it has found something.
    private let corruption = Mutex<StoreError?>(nil)
    /// Declared last, so that it is let go of after the connections.
    private let lock: Mutex<FileLock?>

    /// Opens the store, or makes it when there is no file and the configuration says with how many shards. Blocks.
    /// - Throws: one readable line: `.unavailable` when another process has it or the file cannot be opened,
    ///   `.incompatible` when it is not this binary's or configuration's to open, `.corrupt` when it is damaged.
    package convenience init(configuration: SQLiteConfiguration) throws(StoreError) {
        try self.init(configuration: configuration, migrations: SchemaMigration.all)
    }

    /// With other schema steps than this binary's own: tests open the stores of older and newer binaries with it.
    package init(configuration: SQLiteConfiguration, migrations: [SchemaMigration]) throws(StoreError) {
        let lock = try FileLock(guarding: configuration.path, makesFile: configuration.shardCount != nil)
        do {
            let pool = try StoreFile.open(configuration, lock.identity, with: self.writeAheadLog)
            do {
                let schema = StoreSchema(path: configuration.path, migrations: migrations)
                (self.identity, self.isNew) = try pool.writeWithoutTransaction { db in
                    try schema.prepare(db, shardCount: configuration.shardCount)
                }
                let place = try FilePlace(path: configuration.path, lock, self.writeAheadLog)
                try pool.writeWithoutTransaction { db in try place.contents.checkpoint(db, .truncate) }
                lock.noteStore()
                self.place = place
            } catch {
                // Before the lock goes.
                try? pool.close()
                throw error
            }
            self.pool = pool
        } catch {
            throw StoreError(opening: configuration.path, error)
        }
        self.configuration = configuration
        self.lock = Mutex(lock)
    }

    package func close() throws(StoreError) {
        self.emptyLog()
        if self.place.damage == nil {
            do {
                try self.pool.close()
            } catch {
                throw StoreError(error)
            }
        } else {
            // The last connection to be closed would copy the log into what is there now, and remove it.
            _ = unsafe Unmanaged.passRetained(self.pool)
        }
        self.lock.withLock { $0 = nil }
    }

    /// Brings what was committed from the log into the file.
    private func emptyLog() {
        // Tidy, and seldom needed: what is in the write-ahead log is as durable.
        self.pool.writeWithoutTransaction { db in
            self.copying { try self.place.contents.emptyLog(db) }
        }
    }

    @discardableResult package func checkFiles() throws(StoreError) -> String? {
        do throws(StoreError) {
            try self.place.check()
        } catch {
            if let damage = self.place.damage { throw StoreError(.corrupt, damage) }
            // All that was acknowledged is then in the file, wherever that is now; and where another one has taken its place,
            // SQLite finds no log beside it, which it would take for that one's.
            self.emptyLog()
            throw error
        }
        if let corruption = self.corruption.withLock(\.self) { throw corruption }
        if self.place.contents.isUnsettled {
            self.pool.writeWithoutTransaction { db in self.copyLog(db) }
        }
        return self.place.danger()
    }

    package func ping() async throws(StoreError) {
        _ = try await self.read { db in try Int64.fetchOne(db, sql: "SELECT restore_gen FROM store_meta") }
    }

    package func statistics() async throws(StoreError) -> StoreStatistics {
        // Sequences and stream numbers have no holes and nothing is ever removed, so nothing has to be counted.
        try await self.read { db in
            StoreStatistics(
                streams: try Int.fetchOne(db, sql: "SELECT max(id) FROM stream") ?? 0,
                events: try Int.fetchOne(db, sql: "SELECT sum(head_seq) FROM shard") ?? 0)
        }
    }
}

// MARK: Access, for the other files of this type

extension SQLiteEventStore {
    /// Reads from one snapshot.
    func read<Result: Sendable>(
        _ body: @Sendable (Database) throws -> Result
    ) async throws(StoreError) -> Result {
        do {
            try self.place.check()
            return try await self.pool.read(body)
        } catch {
            throw self.failure(error)
        }
    }

    /// Reads from one snapshot, on the caller's thread.
    func read<Result>(_ body: (Database) throws -> Result) throws(StoreError) -> Result {
        do {
            try self.place.check()
            return try self.pool.read(body)
        } catch {
            throw self.failure(error)
        }
    }

    /// Writes in one transaction, on the caller's thread.
    func write<Result>(_ body: (Database) throws -> Result) throws(StoreError) -> Result {
        do {
            return try self.pool.writeWithoutTransaction { db in try self.commit(db, body) }
        } catch {
            throw self.failure(error)
        }
    }

    /// Writes in one transaction. Unlike GRDB's own asynchronous writes it is not undone when the caller is cancelled.
    func write<Result: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Result
    ) async throws(StoreError) -> Result {
        let result: Swift.Result<Result, StoreError> = await withCheckedContinuation { continuation in
            self.pool.asyncWriteWithoutTransaction { db in
                continuation.resume(
                    returning: Swift.Result { try self.commit(db, body) }.mapError { self.failure($0) })
            }
        }
        return try result.get()
    }

    private func commit<Result>(_ db: Database, _ body: (Database) throws -> Result) throws -> Result {
        guard !self.needsReopening.withLock({ $0 }) else {
            // Not `.unavailable`: whoever hears this must not go on trying, but let the process open the store anew.
            throw StoreError(.outcomeUnknown, "the disk has failed: the store has to be opened again")
        }
        try self.place.check()
        var isCommitting = false
        do {
            try db.beginTransaction(.immediate)
            let result = try body(db)
            isCommitting = true
            try db.commit()
            try self.checkPlaceOfCommit()
            if self.writeAheadLog.isLong { self.copyLog(db) }
            return result
        } catch {
            if db.isInsideTransaction { try? db.rollback() }
            guard isCommitting, let failure = StoreError(unknownOutcomeOf: error) else { throw error }
            self.needsReopening.withLock { $0 = true }
            WriteAheadLog.keep(in: db)
            throw failure
        }
    }

    private func failure(_ error: any Error) -> StoreError {
        let failure = StoreError(error)
        if let error = error as? DatabaseError, [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode) {
            self.corruption.withLock { found in
                found = found ?? StoreError(.corrupt, "the store's file is damaged: \(failure.message)", cause: error)
            }
        }
        return failure
    }

    /// What is acknowledged has to be where the next start will look for it.
    private func checkPlaceOfCommit() throws(StoreError) {
        do throws(StoreError) {
            try self.place.check()
        } catch {
            throw StoreError(.outcomeUnknown, error.message, cause: error)
        }
    }

    private func copyLog(_ db: Database) { self.copying { try self.place.contents.checkpoint(db, .passive) } }

    /// What was committed is durable in the log, whatever becomes of this.
    private func copying(_ body: () throws -> Void) {
        guard !self.needsReopening.withLock({ $0 }) else { return }
        do {
            try body()
        } catch {
            self.needsReopening.withLock { $0 = true }
        }
    }
}
