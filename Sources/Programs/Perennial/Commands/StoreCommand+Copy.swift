import ArgumentParser
import EventLog
import Foundation
import PostgresStore
import SQLiteStore

extension StoreCommand {
    struct Copy: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Moves a store from its SQLite file to a PostgreSQL database.",
            discussion: """
                Stop the node first. Everything is copied: events with their sequences and originals, so that cursors and \
                tokens stay good. The database takes all of it in one transaction or nothing; then the file is marked and \
                opens no more. When it is interrupted, or does not know how it ended, repeat it.

                Of --from and --to one may be left out: it is then store.url of --config. A password in --to can be seen by \
                others on this machine; one in --config, PGPASSWORD or ~/.pgpass cannot.

                Example:
                  perennial store copy --from perennial.db --config perennial.yaml
                  perennial store copy --from perennial.db --to postgresql://perennial@db/perennial
                """)

        @Option(help: "The SQLite file, by its path or as sqlite:// URL.")
        var from: String?
        @Option(help: "The database, as postgresql:// URL; its schema has to be without tables.")
        var to: String?
        @Option(help: "The YAML file of a node.")
        var config: String?

        func validate() throws {
            guard [self.from, self.to, self.config].compactMap(\.self).count > 1 else {
                throw ValidationError("Give --from and --to, or one of them and --config.")
            }
            _ = try self.from.map(Self.path)
            _ = try self.to.map(Self.url)
        }

        func run() throws {
            let path = try self.from.map(Self.path) ?? self.configuredPath()
            let url = try self.to.map(Self.url) ?? self.configuredURL()
            do {
                let destination = try PostgresDestination(connectionString: url)
                var configuration = SQLiteConfiguration(path: path)
                configuration.shardCount = nil
                let store = try SQLiteEventStore(configuration: configuration)
                let progress = TenthsProgress()
                let arrival = try destination.receive(store) { progress.report($0, of: $1) }
                try self.mark(store, path, arrival)
                let isNew = arrival.isNew ? "are now in" : "were already in"
                Console.print(
                    "\(arrival.tally.rows(of: "event")) events of \(arrival.tally.rows(of: "stream")) streams \(isNew) "
                        + "\(arrival.place)")
                Console.print("\(path) opens no more; store.url has to name the database from now on")
            } catch let error as StoreError {
                throw CommandFailure(error.message)
            }
        }

        private func mark(
            _ store: SQLiteEventStore, _ path: String, _ arrival: PostgresDestination.Arrival
        ) throws(CommandFailure) {
            do throws(StoreError) {
                try store.markMoved(to: arrival.place)
                try store.close()
            } catch {
                throw CommandFailure(
                    "all is in \(arrival.place), but \(path) could not be marked: \(error.message). Let no node start on "
                        + "the file, and repeat the command")
            }
        }

        // MARK: Where from, where to

        private static func path(_ argument: String) throws -> String {
            guard argument.contains("://") else { return argument }
            guard case .sqlite(let path) = try? StoreLocation(url: argument) else {
                throw ValidationError("--from has to be the path of a file, or a sqlite:// URL.")
            }
            return path
        }

        private static func url(_ argument: String) throws -> String {
            guard case .postgres(let url) = try? StoreLocation(url: argument) else {
                throw ValidationError("--to has to be a postgresql:// URL.")
            }
            return url
        }

        private func configuredPath() throws -> String {
            guard case .sqlite(let path) = try self.configuredLocation() else {
                throw CommandFailure("store.url is a database already; say with --from which file to copy")
            }
            return path
        }

        private func configuredURL() throws -> String {
            guard case .postgres(let url) = try self.configuredLocation() else {
                throw CommandFailure("store.url is a file; say with --to which database to copy to")
            }
            return url
        }

        private func configuredLocation() throws -> StoreLocation {
            try ServerConfiguration.load(file: self.config, environment: ProcessInfo.processInfo.environment)
                .check(for: .serve).store
        }
    }
}
