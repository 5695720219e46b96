package import EventLog
import Testing

extension StoreContract {
    /// Records an issue of the running test for each promise that a store breaks which was rewound: it lacks the last
    /// commits, as a backup does, or a standby that takes over.
    /// - Parameters:
    ///   - save: keeps what the store holds at that moment.
    ///   - restore: brings it back, and returns the store as it then is.
    package static func holdWhenRewound<Store: EventStore, Saved>(
        _ store: Store, save: (Store) async throws -> Saved, restore: (Store, Saved) async throws -> Store
    ) async throws {
        // given an owner whose last event is not saved, and one of whom nothing is
        var first = try StoreWriter(store, incarnation: 6)
        try first.append([first.event([1]), first.event([1])])
        let saved = try await save(store)
        try first.append([first.event([1])])
        var second = try StoreWriter(store, incarnation: 7)
        try second.append([second.event([2])])
        let late = [first.batch(0, [first.event([1])]), second.batch(0, [second.event([2])])]

        // when
        let rewound = try await restore(store, saved)

        // then neither adds to a log that lacks what it remembers
        for batch in late { #expect(try rewound.append([batch]) == [.fenced]) }
        let shard = ShardID(rawValue: 0)
        #expect(try await rewound.incarnationTag(of: LogSequence(rawValue: 3), in: shard) == nil)
        #expect(try await rewound.incarnationTag(of: LogSequence(rawValue: 2), in: shard) == 6)

        // nor when it has grown again, to the same head and under the same epoch
        var third = try StoreWriter(rewound, incarnation: 8)
        #expect(third.ownership[0].head.rawValue == 2)
        try third.append([third.event([3]), third.event([3])])
        #expect(third.ownership[0].head == second.ownership[0].head)
        #expect(third.ownership[0].epoch == second.ownership[0].epoch)
        for batch in late { #expect(try rewound.append([batch]) == [.fenced]) }

        // and each event is known to be of those who wrote it
        #expect(try await rewound.log().map(\.key) == [[1], [1], [3], [3]])
        for (sequence, tag) in [(2, 6), (3, 8), (4, 8)] as [(Int64, UInt32)] {
            #expect(try await rewound.incarnationTag(of: LogSequence(rawValue: sequence), in: shard) == tag)
        }
        #expect(try await rewound.heads()[0].incarnationTag == 8)
    }
}
