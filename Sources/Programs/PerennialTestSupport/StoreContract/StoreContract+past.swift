import EventLog
import Testing

extension StoreContract {
    private static let shard = ShardID(rawValue: 0)

    static let past = [
        StoreContract("what was read of the past reads the same when the log has gone on") { store in
            // given
            var writer = try StoreWriter(store, incarnation: 1)
            var notifications = SyntheticNotifications()
            let originals = (0..<4).map { notifications.renewal(customer: 1, period: $0) }
            try writer.append([
                writer.event([1], evidence: [originals[0]]), writer.event([2], evidence: [originals[1]]),
                writer.event([1]), writer.event([1], evidence: [originals[2]]),
            ])
            let before = try await Past(of: store)
            #expect(before.stream.count == 3 && before.log.count == 4)

            // when another owner adds to the stream, and another stream's evidence is erased
            var next = try StoreWriter(resuming: writer, incarnation: 2)
            try next.append([next.event([1], evidence: [originals[3]]), next.event([2]), next.event([1])])
            try await store.eraseEvidence(of: [2], in: Self.shard)

            // then
            #expect(try await Past(of: store) == before)
        },
        StoreContract("pages of a log and of a stream go on from one owner's events to the next one's") { store in
            var writer = try StoreWriter(store, incarnation: 1)
            try writer.append([writer.event([1]), writer.event([2]), writer.event([1])])
            var next = try StoreWriter(resuming: writer, incarnation: 2)
            try next.append([next.event([1]), next.event([2]), next.event([1])])
            let epochs = [writer.ownership[0].epoch, next.ownership[0].epoch]

            let versions = try await store.events(of: [1], in: Self.shard, after: StreamVersion(rawValue: 1), limit: 2)
            #expect(versions.map(\.version.rawValue) == [2, 3])
            #expect(versions.map(\.sequence.rawValue) == [3, 4])
            #expect(versions.map(\.epoch) == epochs)
            let page = try await store.events(in: Self.shard, after: LogSequence(rawValue: 2), limit: 2)
            #expect(page == versions)
            let rest = try await store.events(of: [1], in: Self.shard, after: StreamVersion(rawValue: 2), limit: 9)
            #expect(rest.map(\.sequence.rawValue) == [4, 6])
        },
    ]

    /// What is read of the first four events of a shard, three of them of the stream `[1]`.
    private struct Past: Equatable {
        var stream: [StoredEvent]
        var log: [StoredEvent]
        var known: [StoredEvent]
        var evidence: [Evidence?] = []
        var tags: [UInt32?] = []

        init(of store: any EventStore) async throws {
            self.stream = try await store.events(of: [1], in: StoreContract.shard, after: .zero, limit: 3)
            self.log = try await store.events(in: StoreContract.shard, after: .zero, limit: 4)
            self.known = try await store.events(withDedupKeys: self.stream.map(\.dedupKey), in: StoreContract.shard)
            for event in self.stream {
                self.evidence.append(try await store.evidence(of: event.sequence, in: StoreContract.shard))
                self.tags.append(try await store.incarnationTag(of: event.sequence, in: StoreContract.shard))
            }
        }
    }
}
