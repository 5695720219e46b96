import EventSourcing
import Foundation
import PostgresStore
import SQLiteStore

extension StoreLocation {
    /// Opens the store, or makes it where there is none. Blocks.
    /// - Throws: `CommandFailure` or `StoreError`, of one line without a password.
    func open(shardCount: Int) throws -> any EventStore {
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
            return try SQLiteEventStore(configuration: configuration)
        case .postgres(let url):
            var configuration = PostgresConfiguration(connectionString: url)
            configuration.shardCount = shardCount
            return try PostgresEventStore(configuration: configuration)
        }
    }
}
