package import EventLog
package import ServiceContract
import Waiting

/// Where the streams of the nodes are that share a store: each leaves a bookmark there.
package struct StreamDirectory: Sendable {
    let store: any EventStore
    package let node: NodeID

    package init(store: any EventStore, node: NodeID) {
        self.store = store
        self.node = node
    }

    private static func bookmark(of node: NodeID) -> String { "stream/\(node.rawValue)" }

    /// What the nodes that live have left.
    package func addresses() async throws(ServiceError) -> [NodeID: [UInt8]] {
        try await ServiceError.translating {
            let nodes = try await self.livingNodes()
            let found = try await self.store.bookmarks(nodes.map(Self.bookmark))
            return Dictionary(
                uniqueKeysWithValues: nodes.compactMap { node in found[Self.bookmark(of: node)].map { (node, $0) } })
        }
    }

    /// Leaves the address of this node: at most 4,096 bytes.
    package func publish(_ address: [UInt8]) async throws(ServiceError) {
        try await ServiceError.translating {
            try await self.store.setBookmarks([Self.bookmark(of: self.node): address])
        }
    }

    private func livingNodes() async throws -> [NodeID] {
        guard let shared = self.store as? any SharedEventStore else { return [self.node] }
        let view = try await DedicatedThread.run(named: "view") { () throws(StoreError) in try shared.view() }
        return view.nodes.filter { $0.life == .live }.map(\.id)
    }
}
