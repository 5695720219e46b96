import Entitlements
import EventLog
import ServiceContract
import Shards
import Subscriptions
import Waiting

/// Brings the rows of ids that are not in memory there: all those of a batch with one question to the store.
struct EntitlementLoader: Sendable {
    /// The ids to be loaded, each once.
    struct Missing {
        fileprivate struct Entry {
            var name: EntitlementTable.Name
            var shard: ShardID
            var prefix: [UInt8]
            /// Of the questions that wait for it.
            var numbers: [Int]
        }

        fileprivate var entries: [Entry] = []
        private var places: [EntitlementTable.Name: Int] = [:]

        var isEmpty: Bool { self.entries.isEmpty }

        mutating func add(_ name: EntitlementTable.Name, id: ArraySlice<UInt8>, shard: ShardID, number: Int) {
            if let place = self.places[name] { return self.entries[place].numbers.append(number) }
            self.places[name] = self.entries.count
            let prefix = [name.kind.rawValue] + id + [0]
            self.entries.append(Entry(name: name, shard: shard, prefix: prefix, numbers: [number]))
        }
    }

    let store: any EventStore
    private let rules: DerivationRules
    private let fingerprint: RulesFingerprint

    /// How many streams of one id are looked at.
    private static let limit = 64

    init(store: any EventStore, rules: DerivationRules) {
        self.store = store
        self.rules = rules
        self.fingerprint = RulesFingerprint(rules)
    }

    /// Loads all of `missing` into the tables of their shards.
    /// - Parameter moment: from when on rows are computed, where they have to be.
    /// - Returns: packed rows, or why those of this id cannot be read, with the numbers of the questions that wait for them.
    /// - Throws: why the store says nothing.
    func load(
        _ missing: Missing, at moment: Moment, _ table: (ShardID) -> EntitlementTable
    ) async throws -> [(numbers: [Int], rows: Result<[UInt8], ServiceError>)] {
        let shards = Dictionary(grouping: missing.entries.indices) { missing.entries[$0].shard }
        for (shard, places) in shards { table(shard).beginLoading(places.map { missing.entries[$0].name }) }
        do {
            let found = try await self.rows(of: missing.entries[...])
            var streams: [Result<[CheckableStream], ServiceError>] = []
            for (entry, rows) in zip(missing.entries, found) {
                switch rows {
                case .success(let rows): streams.append(try await self.streams(rows, in: entry.shard, at: moment))
                case .failure(let error): streams.append(.failure(error))
                }
            }
            var loaded: [(numbers: [Int], rows: Result<[UInt8], ServiceError>)] = []
            for (shard, places) in shards {
                for place in places {
                    let name = missing.entries[place].name
                    let rows = streams[place].map { table(shard).endLoading(name, $0) }
                    if case .failure = rows { table(shard).abandonLoading([name]) }
                    loaded.append((missing.entries[place].numbers, rows))
                }
            }
            return loaded
        } catch {
            for (shard, places) in shards { table(shard).abandonLoading(places.map { missing.entries[$0].name }) }
            throw error
        }
    }

    /// The rows of each id. Where one of them spoils the question for all, it is asked by halves until that one is alone.
    private func rows(
        of entries: ArraySlice<Missing.Entry>
    ) async throws(StoreError) -> [Result<[StreamRow], ServiceError>] {
        do throws(StoreError) {
            return try await self.store.streams(
                withPrefixes: entries.map { ($0.shard, $0.prefix) }, limit: Self.limit
            ).map { .success($0) }
        } catch {
            guard error.code == .corrupt else { throw error }
            guard entries.count > 1 else { return [.failure(ServiceError(error))] }
            let middle = entries.startIndex + entries.count / 2
            return try await self.rows(of: entries[..<middle]) + self.rows(of: entries[middle...])
        }
    }

    /// All streams of one id. One that cannot be read is known of this id alone.
    private func streams(
        _ rows: [StreamRow], in shard: ShardID, at moment: Moment
    ) async throws -> Result<[CheckableStream], ServiceError> {
        var streams: [CheckableStream] = []
        do {
            for row in rows {
                guard let stream = try await self.stream(row, in: shard, at: moment) else { continue }
                streams.append(stream)
            }
        } catch {
            let failure = ServiceError(error)
            guard failure.code == .corrupt else { throw error }
            return .failure(failure)
        }
        return .success(streams)
    }

    /// The stored row is good where these settings and this logic made it, and no clock that ran ahead. Otherwise it is
    /// made from the state, so that a changed setting counts at once.
    private func stream(_ row: StreamRow, in shard: ShardID, at moment: Moment) async throws -> CheckableStream? {
        guard let key = StreamKey(bytes: row.key) else { return nil }
        let app = RowNames.App(environment: key.environment, bundleID: key.bundleID)
        if EntitlementRow.fingerprint(of: row.entitlement) == self.fingerprint {
            let stored = try EntitlementRow(decoding: row.entitlement)
            if stored.answers(at: moment) { return CheckableStream(app: app, version: row.version, row: stored) }
        }
        // After a change of settings all rows are.
        let made = try await FoldingThreads.shared.run {
            let state = try await self.store.loadState(row, key: key, in: shard)
            return EntitlementRow(state: state, version: row.version.rawValue, from: moment, rules: self.rules)
        }
        return CheckableStream(app: app, version: row.version, row: made)
    }
}
