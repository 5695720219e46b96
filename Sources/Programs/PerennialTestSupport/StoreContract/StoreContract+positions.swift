package import EventLog
import Testing

extension StoreContract {
    static let positions = [
        StoreContract("heads and tags tell which incarnation wrote what") { store in
            // given three runs, of which the second writes nothing
            var writer = try StoreWriter(store, incarnation: 0x1_0000_0011)
            try writer.append([writer.event([1]), writer.event([1])])
            _ = try StoreWriter(store, incarnation: 0x22)
            var last = try StoreWriter(resuming: writer, incarnation: -1)
            try last.append([last.event([1])])
            try last.append([last.event([2])], to: 1)
            _ = try StoreWriter(store, incarnation: 0x44)

            let shard = ShardID(rawValue: 0)
            let tags = try await [store.tag(0, shard), store.tag(1, shard), store.tag(2, shard), store.tag(3, shard)]
            #expect(tags == [0, 0x11, 0x11, 0xFFFF_FFFF])
            #expect(try await store.tag(4, shard) == nil)
            let heads = try await store.heads()
            #expect(heads.map(\.shard.rawValue) == Array(0..<UInt16(Self.shardCount)))
            #expect(heads[0] == Position(shard: shard, sequence: LogSequence(rawValue: 3), incarnationTag: 0xFFFF_FFFF))
            #expect(heads[1].incarnationTag == 0xFFFF_FFFF)
            #expect(heads[2] == Position(shard: ShardID(rawValue: 2), sequence: .zero, incarnationTag: 0))
        }
    ]

    static let quarantine = [
        StoreContract("a payload is quarantined once, up to the bound, oldest first") { store in
            var ids: [Int64] = []
            for digest in [1, 2, 1, 3, 2] { try await store.quarantine(Self.payload(UInt8(digest))) }
            #expect(try await store.quarantineDepth() == 3)

            await Self.expectFull { try await store.quarantine(Self.payload(4)) }
            try await store.quarantine(Self.payload(3))

            let kept = try await store.quarantined(after: 0, limit: 10)
            ids = kept.map(\.id)
            #expect(kept.map(\.digest) == [[1], [2], [3]])
            #expect(kept.map(\.raw) == [1, 2, 3].map { Self.payload($0).raw })
            #expect(kept.map(\.reason) == ["nestedMismatch", "nestedMismatch", "nestedMismatch"])
            #expect(try await store.quarantined(after: ids[0], limit: 1).map(\.digest) == [[2]])

            // A place that is free again is taken by a new number: pages never skip one.
            try await store.removeQuarantined(ids[2])
            try await store.quarantine(Self.payload(5))
            #expect(try await store.quarantined(after: ids[2], limit: 10).map(\.digest) == [[5]])
            #expect(try await store.quarantineDepth() == 3)
        },
        StoreContract("the quarantine is bound by bytes") { store in
            try await store.quarantine(Self.payload(1, bytes: 600_000))
            await Self.expectFull { try await store.quarantine(Self.payload(2, bytes: 400_001)) }
            try await store.quarantine(Self.payload(3, bytes: 400_000))
            try await store.removeQuarantined(try await store.quarantined(after: 0, limit: 1)[0].id)
            try await store.quarantine(Self.payload(2, bytes: 400_001))
            #expect(try await store.quarantineDepth() == 2)
        },
        StoreContract("strangers have a share of the quarantine, and leave the rest") { store in
            try await store.quarantine(Self.payload(1, reason: "unknownApp", bytes: 300_000))
            await Self.expectFull {
                try await store.quarantine(Self.payload(2, reason: "wrongKind", bytes: 350_001))
            }
            try await store.quarantine(Self.payload(3, reason: "wrongKind", bytes: 10_000))
            await Self.expectFull { try await store.quarantine(Self.payload(4, reason: "unknownApp", bytes: 1)) }
            try await store.quarantine(Self.payload(3, reason: "wrongKind", bytes: 10_000))
            try await store.quarantine(Self.payload(5, reason: "undecodable", bytes: 300_000))

            try await store.removeQuarantined(try await store.quarantined(after: 0, limit: 1)[0].id)
            try await store.quarantine(Self.payload(4, reason: "unknownApp", bytes: 1))
        },
    ]

    /// Leaves room for little, and less for strangers.
    package static func fillQuarantine(of store: any EventStore) async throws {
        try await store.quarantine(Self.payload(1, bytes: 300_000))
        try await store.quarantine(Self.payload(2, reason: "unknownApp", bytes: 600_000))
    }

    /// Records an issue of the running test unless `store` knows how full it is.
    package static func holdFilledQuarantine(_ store: any EventStore) async throws {
        #expect(try await store.quarantineDepth() == 2)
        await Self.expectFull { try await store.quarantine(Self.payload(3, bytes: 100_001)) }
        await Self.expectFull { try await store.quarantine(Self.payload(3, reason: "unknownApp", bytes: 50_001)) }
        try await store.quarantine(Self.payload(2, reason: "unknownApp", bytes: 600_000))
        try await store.quarantine(Self.payload(3, reason: "unknownApp", bytes: 50_000))
    }

    private static func expectFull(_ body: () async throws -> Void) async {
        await #expect {
            try await body()
        } throws: { error in
            (error as? StoreError)?.code == .full
        }
    }

    private static func payload(
        _ digest: UInt8, reason: String = "nestedMismatch", bytes: Int = 3_000
    ) -> QuarantinedPayload {
        QuarantinedPayload(
            digest: [digest], reason: reason, detail: "nobody's", receivedAt: 5,
            raw: [UInt8](repeating: digest, count: bytes))
    }
}

extension EventStore {
    fileprivate func tag(_ sequence: Int64, _ shard: ShardID) async throws -> UInt32? {
        try await self.incarnationTag(of: LogSequence(rawValue: sequence), in: shard)
    }
}
