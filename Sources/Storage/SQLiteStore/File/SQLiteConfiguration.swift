package import EventLog

/// Where a store's file is, and its bounds.
package struct SQLiteConfiguration: Sendable {
    /// The path of the database; `-wal`, `-shm` and `.lock` stand beside it. Its directory has to be there.
    package var path: String
    /// How many shards a new store gets: a power of two, 16…4096. A store that exists has to have as many. nil takes the
    /// store that is there as it is, and makes none.
    package var shardCount: Int? = 256
    /// How many reads may run at the same time.
    package var maximumReaders = 8
    /// How much the quarantine holds before it says `.full`.
    package var quarantineLimits = QuarantineLimits()
    /// The file does not grow beyond this many bytes: appends say `.full` there. nil for what the disk holds.
    package var maximumBytes: Int64?

    package init(path: String) { self.path = path }
}
