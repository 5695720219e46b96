import Entitlements
import EventSourcing
import Sharding
import Subscriptions
import Synchronization

/// The entitlement rows of one shard's streams, as far as they have been asked for: read by any thread, brought up to
/// date by the shard when a commit is durable, bounded. An entry holds all streams of one id, or that there is none, so
/// that an id given without its bundle needs no second look.
final class EntitlementTable: Sendable {
    /// An id of one kind.
    struct Name: Hashable, Sendable {
        var digest: IDDigest
        var kind: StreamKind
    }

    /// One stream of an id.
    struct Row: Sendable {
        var environment: AppStoreEnvironment
        var bundleID: BundleID
        var version: StreamVersion
        /// An encoded `EntitlementRow`.
        var bytes: [UInt8]
    }

    private struct Entry {
        var rows: [Row]
        /// Asked for since the hand last came by.
        var isRecent = true
    }

    private struct State {
        var entries: [Name: Entry] = [:]
        /// What commits brought while a name was being loaded.
        var loading: [Name: Loading] = [:]
        /// Names in the order of loading, for the clock hand (second chance).
        var ring: [Name] = []
        var hand = 0
    }

    private struct Loading {
        var count: Int
        var updates: [Row]
    }

    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int) { self.limit = limit }

    // MARK: Asking

    /// nil when the name has to be loaded; empty when there is no such stream.
    func rows(of name: Name) -> [Row]? {
        self.state.withLock { state in
            guard let rows = state.entries[name]?.rows else { return nil }
            state.entries[name]?.isRecent = true
            return rows
        }
    }

    /// Loads a name and keeps it. A commit that becomes durable meanwhile is not lost.
    func load<Failure: Error>(
        _ name: Name, _ read: () async throws(Failure) -> [Row]
    ) async throws(Failure) -> [Row] {
        self.state.withLock { state in
            state.loading[name, default: Loading(count: 0, updates: [])].count += 1
        }
        do {
            let rows = try await read()
            return self.state.withLock { state in
                let merged = Self.endLoading(name, in: &state).reduce(into: rows) { Self.merge($1, into: &$0) }
                self.keep(merged, under: name, in: &state)
                return merged
            }
        } catch {
            self.state.withLock { state in _ = Self.endLoading(name, in: &state) }
            throw error
        }
    }

    // MARK: Told by the shard

    /// A commit with this row is durable.
    func update(_ key: StreamKey, row: StreamRow) {
        guard key.kind == .subscription || key.kind == .purchase else { return }
        let name = Name(digest: IDDigest(id: key.id), kind: key.kind)
        let row = Row(
            environment: key.environment, bundleID: key.bundleID, version: row.version, bytes: row.entitlement)
        self.state.withLock { state in
            if state.entries[name] != nil { Self.merge(row, into: &state.entries[name]!.rows) }
            state.loading[name]?.updates.append(row)
        }
    }

    /// What is here may be wrong.
    func removeAll() {
        self.state.withLock { state in
            state.entries = [:]
            state.ring = []
            state.hand = 0
        }
    }

    // MARK: Inside the lock

    private static func endLoading(_ name: Name, in state: inout State) -> [Row] {
        guard let loading = state.loading[name] else { return [] }
        state.loading[name] = loading.count > 1 ? Loading(count: loading.count - 1, updates: loading.updates) : nil
        return loading.updates
    }

    private static func merge(_ row: Row, into rows: inout [Row]) {
        guard
            let index = rows.firstIndex(where: { $0.environment == row.environment && $0.bundleID == row.bundleID })
        else { return rows.append(row) }
        if rows[index].version <= row.version { rows[index] = row }
    }

    private func keep(_ rows: [Row], under name: Name, in state: inout State) {
        guard state.entries.updateValue(Entry(rows: rows), forKey: name) == nil else { return }
        guard state.ring.count >= self.limit else { return state.ring.append(name) }
        while true {
            let candidate = state.ring[state.hand]
            if state.entries[candidate]?.isRecent == true {
                state.entries[candidate]?.isRecent = false
                state.hand = (state.hand + 1) % state.ring.count
            } else {
                state.entries[candidate] = nil
                state.ring[state.hand] = name
                state.hand = (state.hand + 1) % state.ring.count
                return
            }
        }
    }
}
