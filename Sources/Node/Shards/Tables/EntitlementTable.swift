import Entitlements
import EventLog
import Ownership
import Subscriptions
import Synchronization

/// The entitlement rows of one shard's streams, as far as they have been asked for: read by any thread, brought up to
/// date by the shard when a commit is durable, bounded. An entry holds all streams of one id, or that there is none, so
/// that an id given without its bundle needs no second look.
package final class EntitlementTable: Sendable {
    package typealias Name = RecordTable.Name

    private struct State {
        /// Packed rows, by name.
        var entries: RecordTable
        /// What commits brought while a name was being loaded.
        var loading: [Name: Loading] = [:]
    }

    private struct Loading {
        var count = 0
        var updates: [CheckableStream] = []
        /// What is read may be older than what was forgotten meanwhile: it is not kept.
        var isVoid = false
    }

    private let names: RowNames
    private let state: Mutex<State>

    /// - Parameters:
    ///   - limit: of ids.
    ///   - names: shared by all tables of a node.
    package init(limit: Int, names: RowNames) {
        self.names = names
        self.state = Mutex(State(entries: RecordTable(limit: limit)))
    }

    // MARK: Asking

    /// Reads names, each under its number, in one hold of the lock.
    /// - Parameter body: gets the packed rows, none when there is no such stream, and nil when the name has to be loaded.
    ///   It must not keep them.
    package func read(
        _ numbers: ArraySlice<Int>, _ name: (Int) -> Name, _ body: (Int, UnsafeRawBufferPointer?) -> Void
    ) {
        self.state.withLock { state in
            for number in numbers {
                let found: Void? = state.entries.withContent(of: name(number)) { body(number, $0) }
                if found == nil { body(number, nil) }
            }
        }
    }

    /// A commit that becomes durable from now on counts for what `endLoading` keeps. Every beginning has one end.
    package func beginLoading(_ names: [Name]) {
        self.state.withLock { state in
            for name in names { state.loading[name, default: Loading()].count += 1 }
        }
    }

    /// Keeps what was read since `beginLoading`, unless `removeAll` came between.
    /// - Returns: the packed rows.
    package func endLoading(_ name: Name, _ loaded: [CheckableStream]) -> [UInt8] {
        self.state.withLock { state in
            var streams = loaded
            let loading = Self.endLoading(name, in: &state)
            for update in loading.updates { Self.merge(update, into: &streams) }
            var packed: [UInt8] = []
            for stream in streams { stream.pack(into: &packed, self.names) }
            if !loading.isVoid { state.entries.set(packed, under: name) }
            return packed
        }
    }

    /// Loading has failed.
    package func abandonLoading(_ names: [Name]) {
        self.state.withLock { state in
            for name in names { _ = Self.endLoading(name, in: &state) }
        }
    }

    // MARK: Told by the shard

    /// A commit with this row is durable.
    func update(_ key: StreamKey, row: StreamRow) {
        guard key.kind.givesAccess else { return }
        let name = Name(digest: IDDigest(id: key.id), kind: key.kind)
        self.state.withLock { state in
            guard state.entries.contains(name) || state.loading[name] != nil else { return }
            // Its entry goes where a row cannot be read: whoever asks next loads it, and hears why.
            guard let entitlement = try? EntitlementRow(decoding: row.entitlement) else {
                return state.entries.remove(name)
            }
            let app = RowNames.App(environment: key.environment, bundleID: key.bundleID)
            let stream = CheckableStream(app: app, version: row.version, row: entitlement)
            state.loading[name]?.updates.append(stream)
            self.update(stream, under: name, in: &state.entries)
        }
    }

    /// What is here may be wrong, and what is being read too.
    func removeAll() {
        self.state.withLock { state in
            state.entries.removeAll()
            for name in state.loading.keys { state.loading[name]?.isVoid = true }
        }
    }

    // MARK: Inside the lock

    private static func endLoading(_ name: Name, in state: inout State) -> Loading {
        guard let loading = state.loading[name] else { preconditionFailure("an end without a beginning") }
        if loading.count > 1 { state.loading[name]?.count -= 1 } else { state.loading[name] = nil }
        return loading
    }

    private static func merge(_ stream: CheckableStream, into streams: inout [CheckableStream]) {
        guard let index = streams.firstIndex(where: { $0.app == stream.app }) else { return streams.append(stream) }
        if streams[index].version <= stream.version { streams[index] = stream }
    }

    /// Replaces the packed row of `stream`'s app, or adds it.
    private func update(_ stream: CheckableStream, under name: Name, in entries: inout RecordTable) {
        let app = self.names.apps.number(of: stream.app)
        let updated: [UInt8]?? = entries.withContent(of: name) { bytes in
            var reader = PackedRowReader(bytes)
            var start = 0
            while let row = reader.next(at: .distantPast) {
                if row.app == app {
                    guard row.version <= stream.version else { return nil }
                    var packed = Array(bytes[..<start])
                    stream.pack(into: &packed, self.names)
                    return packed + bytes[reader.offset...]
                }
                start = reader.offset
            }
            var packed = Array(bytes)
            stream.pack(into: &packed, self.names)
            return packed
        }
        if case .some(.some(let packed)) = updated { entries.set(packed, under: name) }
    }
}
