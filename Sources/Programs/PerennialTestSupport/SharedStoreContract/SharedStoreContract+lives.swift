import EventLog
import Testing

extension SharedStoreContract {
    static let lives = [
        SharedStoreContract("a run that has begun is seen, with what it says of itself") { store in
            #expect(try store.view().nodes.isEmpty)
            let record = NodeRecord(
                id: NodeID(rawValue: "b"), incarnation: Incarnation(rawValue: .min), endpoint: "tcp://127.0.0.1:1",
                curveKeys: [Array(0..<32)])
            let run = try store.begin(record, lease: .milliseconds(5_500))
            _ = try store.begin("a", incarnation: 2)
            let view = try store.view()
            #expect(view.nodes.map(\.id.rawValue) == ["a", "b"])
            let status = try store.status(of: "b")
            #expect(status.record == record)
            #expect(status.run == run)
            #expect(status.lease == .milliseconds(5_500))
            #expect(status.life == .live)
            #expect(view.living == Set(view.nodes.map(\.owner)))
            #expect(view.shards.map(\.shard) == store.identity.shards)
            #expect(view.shards.allSatisfy { $0.owner == nil && $0.epoch == Epoch(rawValue: 0) })
            #expect(try await store.nodes().map(\.id.rawValue) == ["a", "b"])
        },
        SharedStoreContract("each beat is a sign of life") { store in
            let run = try store.begin("a", incarnation: 1)
            let before = try store.status(of: "a").beat
            for _ in 0..<3 { #expect(try store.beat(run) != nil) }
            #expect(try store.status(of: "a").beat == before + 3)
        },
        SharedStoreContract("another run of its node ends a run, whichever began first") { store in
            let first = try store.begin("a", incarnation: 1)
            let second = try store.begin("a", incarnation: 2)
            #expect(second.liveEpoch > first.liveEpoch)
            #expect(try store.beat(first) == nil)
            #expect(try store.beat(second) != nil)
            try store.leave(first)
            #expect(try store.status(of: "a").life == .live)
        },
        SharedStoreContract("a run that was taken for dead learns it from its next beat") { store in
            let run = try store.begin("a", incarnation: 1)
            let seen = try store.status(of: "a")
            #expect(try store.depose(seen))
            #expect(try store.status(of: "a").life == .deposed)
            #expect(try store.status(of: "a").liveEpoch > seen.liveEpoch)
            #expect(try store.beat(run) == nil)
            #expect(try !store.depose(seen))
            #expect(try !store.depose(try store.status(of: "a")))
            #expect(try store.view().living.isEmpty)
            #expect(try store.beat(try store.begin("a", incarnation: 2)) != nil)
        },
        SharedStoreContract("who has beaten since he was seen is not taken for dead") { store in
            let run = try store.begin("a", incarnation: 1)
            let seen = try store.status(of: "a")
            #expect(try store.beat(run) != nil)
            #expect(try !store.depose(seen))
            #expect(try store.beat(run) != nil)

            let earlier = try store.status(of: "a")
            let next = try store.begin("a", incarnation: 2)
            #expect(try !store.depose(earlier))
            #expect(try store.beat(next) != nil)
        },
        SharedStoreContract("a run that leaves beats no more") { store in
            let run = try store.begin("a", incarnation: 1)
            try store.leave(run)
            #expect(try store.status(of: "a").life == .left)
            #expect(try store.beat(run) == nil)
            #expect(try !store.depose(try store.status(of: "a")))
        },
    ]
}
