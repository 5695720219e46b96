import Foundation
import PostgresHarness
import Synchronization

/// Three nodes that divide the shards of one database by themselves, of which one is lost at a time.
final class LeasedCluster: Sendable {
    static let size = 3

    let database: PostgresDatabase
    private let root: String
    private let state = Mutex(State())

    private struct State {
        var nodes: [(name: String, process: NodeProcess)] = []
        var count = 0
    }

    init(_ database: PostgresDatabase, root: String) {
        self.database = database
        self.root = root
    }

    var nodes: [NodeProcess] { self.state.withLock { $0.nodes.map(\.process) } }

    /// Starts as many nodes as are missing. Each has a name that none had before: one that came back again and again would
    /// be given its shards later and later.
    func fill() async throws {
        while self.nodes.count < Self.size {
            let name = self.state.withLock { state in
                state.count += 1
                return "node-\(state.count)"
            }
            let process = try await NodeProcess.start(on: self.database.url, root: self.root, as: .leased(name))
            self.state.withLock { $0.nodes.append((name, process)) }
        }
    }

    /// Takes the node that has been there longest out of those that are called.
    func lose() -> NodeProcess { self.state.withLock { $0.nodes.removeFirst().process } }

    /// Returns when each node owns about its share.
    func untilDivided() async throws {
        try await Patience.until("an even division of the shards", every: .milliseconds(100)) {
            let names = self.state.withLock { $0.nodes.map(\.name) }
            let counts = try self.database.query("SELECT owner_node, count(*) FROM shard GROUP BY owner_node")
                .map { $0.split(separator: "|") }
            let owned = counts.filter { names.contains(String($0[0])) }.compactMap { Int($0[1]) }
            return owned.count == Self.size && owned.reduce(0, +) == 256
                && owned.allSatisfy { $0 >= 256 / Self.size / 2 }
        }
    }

    func stop() async throws {
        for node in self.nodes { try await node.stop() }
        self.state.withLock { $0.nodes = [] }
    }
}
