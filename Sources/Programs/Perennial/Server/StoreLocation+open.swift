import EventLog
import Foundation
import Logging
import PostgresStore
import SQLiteStore

extension StoreLocation {
    /// Opens the store, or makes it where there is none. Blocks.
    /// - Throws: `CommandFailure` or `StoreError`, of one line without a password.
    func open(shardCount: Int, logger: Logger) throws -> any EventStore {
        switch self {
        case .sqlite(let path):
            let folder = URL(filePath: path).deletingLastPathComponent()
            do {
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            } catch {
                throw CommandFailure("store.url: cannot make \(folder.path): \(FileProblem(error).sentence)")
            }
            var configuration = SQLiteConfiguration(path: path)
            configuration.shardCount = shardCount
            let store = try SQLiteEventStore(configuration: configuration)
            try self.finish(store, isNew: store.isNew, logger)
            return store
        case .postgres(let url):
            var configuration = PostgresConfiguration(connectionString: url)
            configuration.shardCount = shardCount
            let store = try PostgresEventStore(configuration: configuration)
            try self.finish(store, isNew: store.isNew, logger)
            return store
        }
    }

    /// A new store is at the newest level at once: no older version has ever used it. Where a store was expected, a new one shows
    /// that something is missing.
    private func finish(_ store: some EventStore, isNew: Bool, _ logger: Logger) throws {
        guard isNew else { return }
        _ = try store.raiseFeatureLevel(to: .supported)
        logger.notice("A new store was made: there was none", metadata: ["store.url": "\(self)"])
    }
}
