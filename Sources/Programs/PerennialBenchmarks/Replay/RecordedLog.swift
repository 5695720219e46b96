import AppStore
import AppStoreSimulator
import Entitlements
import EventLog
import Ownership
import SQLiteStore
import Shards
import Subscriptions
import WireProtocol

/// The log that a node would have written for a crowd of customers: every notification verified and decided, the events
/// of a shard in the order of signing. Without evidence, which a replay does not read.
struct RecordedLog: Sendable {
    private static let customersPerChunk = 64
    private static let lanes = 2

    private struct RecordedEvent: Sendable {
        var signedDate: Moment
        var event: NewEvent
        var row: StreamRow
    }

    private var entries: [ShardID: [RecordedEvent]] = [:]
    private(set) var eventCount = 0

    /// - Parameter count: how many events there are at least.
    init(atLeast count: Int, authority: CertificateAuthority) async throws {
        let factory = try LifecycleFactory(seed: 6, authority: authority)
        let apps = try AppDirectory([
            try .simulated(root: factory.rootCertificate)
        ])
        let reader = NotificationReader(verifier: PayloadVerifier(apps: apps), apps: apps)
        guard let map = ShardHash(shardCount: ShardHash.defaultShardCount) else {
            preconditionFailure("a shard map takes its own default")
        }
        var first = 0
        while self.eventCount < count {
            let chunks = try await withThrowingTaskGroup(of: [(ShardID, RecordedEvent)].self) { group in
                for lane in 0..<Self.lanes {
                    let customers = first + lane * Self.customersPerChunk
                    group.addTask {
                        try await Self.chunk(customers..<customers + Self.customersPerChunk, factory, reader, map)
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            for (shard, entry) in chunks { self.entries[shard, default: []].append(entry) }
            self.eventCount += chunks.count
            first += Self.lanes * Self.customersPerChunk
        }
        for shard in self.entries.keys {
            self.entries[shard]?.sort { ($0.signedDate, $0.event.version) < ($1.signedDate, $1.event.version) }
        }
    }

    private static func chunk(
        _ customers: Range<Int>, _ factory: LifecycleFactory, _ reader: NotificationReader, _ map: ShardHash
    ) async throws -> [(ShardID, RecordedEvent)] {
        let now = SystemClock().now
        let rules = DerivationRules()
        var states: [StreamKey: (state: StreamState, version: Int64)] = [:]
        var entries: [(ShardID, RecordedEvent)] = []
        for notification in try customers.flatMap({ try factory.notifications(ofCustomer: $0) }) {
            guard case .bundle(let key, let bundle) = try await reader.read(notification.signedPayload, now: now) else {
                throw BenchmarkError("a notification went to quarantine")
            }
            var (state, version) = states.removeValue(forKey: key) ?? (StreamState(key: key), 0)
            for (index, event) in state.decide(bundle, rules: rules).enumerated() {
                state.apply(event)
                version += 1
                let entitlement = EntitlementRow(state: state, version: version, from: now, rules: rules).encoded(
                    under: RulesFingerprint(rules))
                let new = NewEvent(
                    key: key.bytes, version: StreamVersion(rawValue: version), kind: event.kind.rawValue,
                    dedupKey: index == 0 ? bundle.dedupKey : bundle.dedupKey + [UInt8(index)], at: now.milliseconds,
                    body: try event.protoBytes(key: key), entitlement: entitlement)
                let row = StreamRow(
                    key: new.key, version: new.version, sequence: .zero, state: StoredState(state).protoBytes(),
                    entitlement: entitlement, nextDue: nil)
                entries.append(
                    (map.shard(of: key.id), RecordedEvent(signedDate: bundle.signedDate, event: new, row: row)))
            }
            states[key] = (state, version)
        }
        return entries
    }

    /// Appends all of it to an empty store.
    func write(to store: SQLiteEventStore) throws {
        let owned = try store.claim(
            ShardClaim(
                store.identity.shards,
                for: ShardRecord.Owner(node: NodeID(rawValue: "benchmark"), incarnation: Incarnation(rawValue: 1))))
        for ownership in owned {
            guard let entries = self.entries[ownership.shard] else { continue }
            var rows: [[UInt8]: StreamRow] = [:]
            for (place, entry) in entries.enumerated() {
                rows[entry.row.key] = entry.row
                rows[entry.row.key]?.sequence = LogSequence(rawValue: Int64(place) + 1)
            }
            let batch = ShardBatch(
                shard: ownership.shard, epoch: ownership.epoch, incarnation: ownership.incarnation,
                head: ownership.head, events: entries.map(\.event), streams: Array(rows.values))
            guard try store.append([batch]) != [.fenced] else {
                throw BenchmarkError("the new store has another owner")
            }
        }
    }
}
