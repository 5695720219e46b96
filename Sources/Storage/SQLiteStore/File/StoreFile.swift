import EventLog
import GRDB

/// Opens the database file with the settings that the store's promises rest on.
enum StoreFile {
    /// - Parameters:
    ///   - file: what every connection has to open.
    ///   - log: is told of commits, and has to live as long as the connections.
    static func open(
        _ configuration: SQLiteConfiguration, _ file: FileStatus.Identity, with log: WriteAheadLog
    ) throws -> DatabasePool {
        let pool = try DatabasePool(path: configuration.path, configuration: Self.connections(configuration, to: file))
        try pool.writeWithoutTransaction { db in
            // GRDB sets NORMAL when it turns the write-ahead log on, so this has to come after.
            try db.execute(sql: "PRAGMA synchronous = FULL")
            log.follow(db)
            try db.execute(sql: "PRAGMA journal_size_limit = \(WriteAheadLog.sizeLimit)")
            // What is erased is overwritten, not just unlinked.
            try db.execute(sql: "PRAGMA secure_delete = ON")
            try db.execute(sql: "PRAGMA cache_size = -65536")
            if let bytes = configuration.maximumBytes {
                let pageSize = try Int64.fetchOne(db, sql: "PRAGMA page_size") ?? 4096
                try db.execute(sql: "PRAGMA max_page_count = \(max(1, bytes / pageSize))")
            }
            // A log whose disk has failed may have commits of which nobody knows whether an fsync has reached them: they
            // get into the database before anything is written after them.
            try WriteAheadLog.checkpoint(db, .truncate)
        }
        return pool
    }

    private static func connections(
        _ configuration: SQLiteConfiguration, to file: FileStatus.Identity
    ) -> Configuration {
        var connections = Configuration()
        connections.label = "perennial.store"
        connections.maximumReaderCount = configuration.maximumReaders
        connections.busyMode = .timeout(5)
        // The schema has no foreign keys: the fence and one writer keep rows together, without a look-up per row.
        connections.foreignKeysEnabled = false
        connections.prepareDatabase { [path = configuration.path] db in
            // One for reading is opened when it is first needed, and by then another file may have this path.
            try FilePlace.check(path, is: file)
            if db.configuration.readonly { try db.execute(sql: "PRAGMA cache_size = -8192") }
        }
        return connections
    }
}
