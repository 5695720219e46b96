import EventLog
import Testing

extension SharedStoreContract {
    private static let second = FeatureLevel(rawValue: 2)

    static let featureLevels = [
        SharedStoreContract("a run is seen with the level that it supports, and a store with its own") { store in
            #expect(try store.view().featureLevel == .first)
            _ = try store.begin("a", supporting: 3)
            #expect(try store.status(of: "a").record.featureLevel == FeatureLevel(rawValue: 3))
            #expect(try await store.nodes().map(\.featureLevel.rawValue) == [3])
            #expect(try store.raiseFeatureLevel(to: Self.second))
            #expect(try store.view().featureLevel == Self.second)
            _ = try store.begin("a", incarnation: 2, supporting: 2)
            #expect(try store.status(of: "a").record.featureLevel == Self.second)
        },
        SharedStoreContract("the level is not raised while a node lives that does not support it") { store in
            _ = try store.begin("new", supporting: 2)
            let leaving = try store.begin("leaving", supporting: 1)
            _ = try store.begin("silent", supporting: 1)
            try store.register(NodeRecord(node: "assigned", supporting: 1))
            #expect(try !store.raiseFeatureLevel(to: Self.second))
            try store.leave(leaving)
            #expect(try !store.raiseFeatureLevel(to: Self.second))
            #expect(try store.depose(try store.status(of: "silent")))
            #expect(try !store.raiseFeatureLevel(to: Self.second))
            #expect(try store.raiseFeatureLevel(to: .first))
            #expect(try store.featureLevel() == .first)
            try store.register(NodeRecord(node: "assigned", incarnation: 2, supporting: 2))
            #expect(try store.raiseFeatureLevel(to: Self.second))
            #expect(try store.featureLevel() == Self.second)
        },
        SharedStoreContract("a run that does not support the level does not begin, and leaves the others alone") {
            store in
            let run = try store.begin("a", supporting: 2)
            #expect(try store.raiseFeatureLevel(to: Self.second))
            let before = try store.view()
            for node in ["a", "b"] {
                #expect {
                    _ = try store.begin(node, incarnation: 2, supporting: 1)
                } throws: { error in
                    (error as? StoreError)?.code == .incompatible
                }
            }
            #expect(try store.view() == before)
            #expect(try store.beat(run) != nil)
        },
        SharedStoreContract("of a raise and registrations at the same moment, each goes by what was first") { store in
            _ = try store.begin("new", supporting: 1_000)
            for round in 1...50 {
                let isRaised = try await StoreContract.onThreads(4) { lane in
                    guard lane > 0 else { return try store.raiseFeatureLevel(to: FeatureLevel(rawValue: round + 1)) }
                    do throws(StoreError) {
                        _ = try store.begin("old-\(lane)", incarnation: Int64(round), supporting: round)
                    } catch {
                        guard error.code == .incompatible else { throw error }
                    }
                    return false
                }[0]
                let view = try store.view()
                #expect(isRaised == (view.featureLevel.rawValue > round))
                let living = view.nodes.filter { $0.life == .live }
                #expect(living.allSatisfy { $0.record.featureLevel >= view.featureLevel })
                for old in living where old.id.rawValue != "new" { try store.leave(old.run) }
                #expect(try store.raiseFeatureLevel(to: FeatureLevel(rawValue: round + 1)))
            }
        },
    ]
}

extension SharedEventStore {
    fileprivate func begin(_ node: String, incarnation: Int64 = 1, supporting level: Int) throws(StoreError) -> NodeRun
    {
        try self.begin(NodeRecord(node: node, incarnation: incarnation, supporting: level), lease: .seconds(5))
    }
}
