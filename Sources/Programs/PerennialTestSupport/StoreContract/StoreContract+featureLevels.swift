import EventLog
import Testing

extension StoreContract {
    static let featureLevels = [
        StoreContract("the feature level rises, and never falls") { store in
            #expect(try store.featureLevel() == .first)
            try store.register(NodeRecord(node: "a", supporting: 3))
            for (asked, found) in [(2, 2), (2, 2), (1, 2), (3, 3), (2, 3)] {
                #expect(try store.raiseFeatureLevel(to: FeatureLevel(rawValue: asked)))
                #expect(try store.featureLevel() == FeatureLevel(rawValue: found))
            }
        },
        StoreContract("a node that does not support the feature level is not registered") { store in
            try store.register(NodeRecord(node: "a", supporting: 2))
            #expect(try store.raiseFeatureLevel(to: FeatureLevel(rawValue: 2)))
            let before = try await store.nodes()
            for node in ["a", "b"] {
                #expect {
                    try store.register(NodeRecord(node: node, incarnation: 2, supporting: 1))
                } throws: { error in
                    (error as? StoreError)?.code == .incompatible
                        && (error as? StoreError)?.message.contains("feature level 2, and this version supports 1")
                            == true
                }
            }
            #expect(try await store.nodes() == before)
            try store.register(NodeRecord(node: "b", supporting: 3))
            #expect(try await store.nodes().map(\.id.rawValue) == ["a", "b"])
        },
    ]
}

extension NodeRecord {
    init(node: String, incarnation: Int64 = 1, supporting level: Int) {
        self.init(
            id: NodeID(rawValue: node), incarnation: Incarnation(rawValue: incarnation),
            featureLevel: FeatureLevel(rawValue: level))
    }
}
