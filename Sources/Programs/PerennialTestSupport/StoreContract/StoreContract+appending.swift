import EventLog
import Subscriptions
import Testing

extension StoreContract {
    static let appending = [
        StoreContract("an empty store answers every question with nothing") { store in
            let shard = ShardID(rawValue: 0)
            #expect(try await store.log().isEmpty)
            #expect(try await store.streams(in: shard, after: nil, limit: 10).isEmpty)
            #expect(try await store.streams([[1]], in: shard).isEmpty)
            #expect(try await store.due(in: shard, at: .max, limit: 10).isEmpty)
            #expect(try await store.nextDue(in: shard) == nil)
            #expect(try await store.events(withDedupKeys: [[1]], in: shard).isEmpty)
            #expect(try await store.evidence(of: LogSequence(rawValue: 1), in: shard) == nil)
            #expect(try await store.streams(for: .customer, value: "c").isEmpty)
            #expect(try await store.statistics() == StoreStatistics(streams: 0, events: 0))
            #expect(try await store.heads().count == Self.shardCount)
            try await store.ping()
        },
        StoreContract("what is appended is read back as it was") { store in
            var writer = try StoreWriter(store)
            var event = writer.event([1, 2, 3])
            event.body = [0, 255, 0]
            event.entitlement = []
            event.at = .max

            try writer.append([event], to: 5)

            let stored = StoredEvent(
                shard: ShardID(rawValue: 5), sequence: LogSequence(rawValue: 1), epoch: writer.ownership[5].epoch,
                key: event.key, version: event.version, kind: event.kind, dedupKey: event.dedupKey, at: event.at,
                body: event.body, entitlement: event.entitlement)
            #expect(try await store.log(5) == [stored])
            #expect(try await store.log(4).isEmpty)
        },
        StoreContract("sequences have no holes, refused appends or not") { store in
            var writer = try StoreWriter(store)
            for round in 1...20 {
                try writer.append([writer.event([1]), writer.event([2])])
                let duplicate = writer.event([UInt8(round)], dedupKey: [1, 0] + Array("1".utf8))
                #expect(throws: StoreError.self) { try writer.append([duplicate], to: 0) }
                writer = try StoreWriter(resuming: writer)
            }
            #expect(try await store.log().map(\.sequence.rawValue) == Array(1...40))
        },
        StoreContract("two events of one stream in one batch") { store in
            var writer = try StoreWriter(store)
            try writer.append([writer.event([1]), writer.event([2]), writer.event([1])])
            let events = try await store.events(of: [1], in: ShardID(rawValue: 0), after: .zero, limit: 10)
            #expect(events.map(\.version.rawValue) == [1, 2])
            #expect(events.map(\.sequence.rawValue) == [1, 3])
        },
        StoreContract("ten thousand events in one batch") { store in
            var writer = try StoreWriter(store)
            let events = (0..<10_000).map { writer.event(Array("stream \($0 % 3000)".utf8)) }
            #expect(try writer.append(events, to: 3) == [.appended(head: LogSequence(rawValue: 10_000))])
            #expect(try await store.statistics() == StoreStatistics(streams: 3000, events: 10_000))
            #expect(try await store.log(3).map(\.dedupKey) == events.map(\.dedupKey))
        },
        StoreContract("one commit over every shard") { store in
            var writer = try StoreWriter(store)
            let batches = (0..<Self.shardCount).map { writer.batch($0, [writer.event([UInt8($0)])]) }
            let outcomes = try writer.append(batches.reversed())
            #expect(outcomes.allSatisfy { $0 == .appended(head: LogSequence(rawValue: 1)) })
            for shard in 0..<Self.shardCount {
                #expect(try await store.log(shard).map(\.key) == [[UInt8(shard)]])
            }
        },
        StoreContract("keys and text of any bytes") { store in
            var writer = try StoreWriter(store)
            let keys: [[UInt8]] = [
                [0], [0, 0], [], [255, 255], Array("'\"; DROP TABLE event; --".utf8), Array("🦊\u{0}é".utf8),
            ]
            for (place, key) in keys.enumerated() {
                var event = writer.event(key, dedupKey: [9] + key)
                event.kind = "kind '\u{1F98A}\" \(place)"
                var batch = writer.batch(0, [event])
                batch.lookups = [Lookup(kind: .customer, value: "o'\u{0}\u{1F98A}", key: key)]
                #expect(try writer.append([batch]) != [.fenced])
            }
            let log = try await store.log()
            #expect(log.map(\.key) == keys)
            #expect(log.map(\.kind) == keys.indices.map { "kind '\u{1F98A}\" \($0)" })
            for key in keys {
                let shard = ShardID(rawValue: 0)
                #expect(try await store.streams([key], in: shard).map(\.key) == [key])
                #expect(try await store.events(withDedupKeys: [[9] + key], in: shard).map(\.key) == [key])
            }
            let found = try await store.streams(for: .customer, value: "o'\u{0}\u{1F98A}")
            #expect(try await store.streams(for: .customer, value: "o'").isEmpty)
            #expect(found == keys.sorted { $0.lexicographicallyPrecedes($1) })
        },
        StoreContract("pages of a log and of a stream") { store in
            var writer = try StoreWriter(store)
            try writer.append((0..<10).map { writer.event([UInt8($0 % 2)]) })
            let shard = ShardID(rawValue: 0)
            let page = try await store.events(in: shard, after: LogSequence(rawValue: 3), limit: 4)
            #expect(page.map(\.sequence.rawValue) == [4, 5, 6, 7])
            let versions = try await store.events(of: [1], in: shard, after: StreamVersion(rawValue: 2), limit: 2)
            #expect(versions.map(\.version.rawValue) == [3, 4])
            #expect(try await store.events(in: shard, after: LogSequence(rawValue: 10), limit: 4).isEmpty)
        },
        StoreContract("readers see whole appends, in order, while others are under way") { store in
            var writer = try StoreWriter(store)
            let rounds = 50
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        var seen = 0
                        while seen < rounds * 3 {
                            let log = try await store.log()
                            #expect(log.count >= seen && log.count % 3 == 0)
                            #expect(log.enumerated().allSatisfy { $1.sequence.rawValue == Int64($0) + 1 })
                            seen = log.count
                            await Task.yield()
                        }
                    }
                }
                for _ in 0..<rounds {
                    try writer.append([writer.event([1]), writer.event([2]), writer.event([1])])
                    await Task.yield()
                }
                try await group.waitForAll()
            }
        },
    ]
}
