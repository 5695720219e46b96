import EventLog
import Subscriptions
import Testing

extension StoreContract {
    private static func row(_ key: [UInt8], due: Int64? = nil, version: Int64 = 0) -> StreamRow {
        StreamRow(
            key: key, version: StreamVersion(rawValue: version), sequence: LogSequence(rawValue: version),
            state: [1, 0, 2], entitlement: [3], nextDue: due)
    }

    static let streams = [
        StoreContract("a stream's row is replaced, with or without an event") { store in
            var writer = try StoreWriter(store)
            let shard = ShardID(rawValue: 0)
            let empty = StreamRow(
                key: [1], version: .zero, sequence: .zero, state: [], entitlement: [], nextDue: nil)
            for row in [Self.row([1], due: 5), Self.row([1], due: nil, version: 1), empty] {
                let batch = writer.batch(0, [], streams: [row])
                #expect(try writer.append([batch]) == [.appended(head: .zero)])
                #expect(try await store.streams([[1]], in: shard) == [row])
            }
            #expect(try await store.statistics() == StoreStatistics(streams: 1, events: 0))
        },
        StoreContract("rows come in the order they are asked for, without those that are not there") { store in
            var writer = try StoreWriter(store)
            _ = try writer.append([writer.batch(0, [], streams: [Self.row([1]), Self.row([2])])])
            #expect(try await store.streams([[2], [3], [1]], in: ShardID(rawValue: 0)).map(\.key) == [[2], [1]])
            #expect(try await store.streams([[2]], in: ShardID(rawValue: 1)).isEmpty)
        },
        StoreContract("several prefixes are found at once, each in its shard") { store in
            var writer = try StoreWriter(store)
            _ = try writer.append([
                writer.batch(0, [], streams: [[1, 1], [1, 2], [2], [255, 3]].map { Self.row($0) }),
                writer.batch(1, [], streams: [Self.row([1, 3])]),
            ])
            let (first, second) = (ShardID(rawValue: 0), ShardID(rawValue: 1))
            let found = try await store.streams(
                withPrefixes: [(second, [1]), (first, [1]), (first, [3]), (first, [255]), (first, [1])], limit: 2)
            let both: [[UInt8]] = [[1, 1], [1, 2]]
            #expect(found.map { $0.map(\.key) } == [[[1, 3]], both, [], [[255, 3]], both])
            let limited = try await store.streams(withPrefixes: [(first, [1])], limit: 1)
            #expect(limited.map { $0.map(\.key) } == [[[1, 1]]])
        },
        StoreContract("prefixes find their keys and no others") { store in
            var writer = try StoreWriter(store)
            let keys: [[UInt8]] = [
                [1], [1, 0], [1, 0, 7], [1, 1], [1, 255], [1, 255, 255], [2], [255], [255, 255, 1],
            ]
            _ = try writer.append([writer.batch(0, [], streams: keys.reversed().map { Self.row($0) })])
            let shard = ShardID(rawValue: 0)
            for prefix in keys + [[], [3], [1, 0, 7, 9]] {
                let found = try await store.streams(withPrefix: prefix, in: shard, limit: 100)
                #expect(found.map(\.key) == keys.filter { $0.starts(with: prefix) }, "prefix \(prefix)")
            }
            #expect(try await store.streams(withPrefix: [1], in: shard, limit: 2).map(\.key) == [[1], [1, 0]])
        },
        StoreContract("all rows of a shard, page by page") { store in
            var writer = try StoreWriter(store)
            let keys = (0..<25).map { [UInt8($0), 0] }
            _ = try writer.append([
                writer.batch(0, [], streams: keys.map { Self.row($0) }), writer.batch(1, [], streams: [Self.row([9])]),
            ])
            var found: [[UInt8]] = []
            var pages = 0
            while true {
                let page = try await store.streams(in: ShardID(rawValue: 0), after: found.last, limit: 10)
                guard !page.isEmpty else { break }
                found += page.map(\.key)
                pages += 1
            }
            #expect(found == keys)
            #expect(pages == 3)
        },
        StoreContract("what is due comes most overdue first; what has no date never") { store in
            var writer = try StoreWriter(store)
            let rows = [
                Self.row([1], due: 30), Self.row([2], due: 10), Self.row([3], due: nil), Self.row([4], due: 20),
                Self.row([0], due: 20), Self.row([5], due: -5),
            ]
            _ = try writer.append([writer.batch(0, [], streams: rows)])
            let shard = ShardID(rawValue: 0)
            #expect(try await store.nextDue(in: shard) == -5)
            #expect(try await store.due(in: shard, at: 20, limit: 10).map(\.key) == [[5], [2], [0], [4]])
            #expect(try await store.due(in: shard, at: 20, limit: 2).map(\.key) == [[5], [2]])
            #expect(try await store.due(in: shard, at: -6, limit: 2).isEmpty)
            #expect(try await store.nextDue(in: ShardID(rawValue: 1)) == nil)
            _ = try writer.append([writer.batch(0, [], streams: [Self.row([5], due: nil), Self.row([2], due: 99)])])
            #expect(try await store.nextDue(in: shard) == 20)
        },
        StoreContract("identifiers of a customer lead to streams of any shard") { store in
            var writer = try StoreWriter(store)
            var batches = [writer.batch(0, [writer.event([1])]), writer.batch(1, [writer.event([2])])]
            batches[0].lookups = [
                Lookup(kind: .customer, value: "c", key: [1]), Lookup(kind: .appAccountToken, value: "c", key: [1]),
            ]
            batches[1].lookups = [Lookup(kind: .customer, value: "c", key: [2])]
            _ = try writer.append(batches)
            var again = writer.batch(0, [writer.event([1])])
            again.lookups = batches[0].lookups
            _ = try writer.append([again])
            #expect(try await store.streams(for: .customer, value: "c") == [[1], [2]])
            #expect(try await store.streams(for: .appAccountToken, value: "c") == [[1]])
            #expect(try await store.streams(for: .appTransaction, value: "c").isEmpty)
            #expect(try await store.streams(for: .customer, value: "C").isEmpty)
        },
    ]
}
