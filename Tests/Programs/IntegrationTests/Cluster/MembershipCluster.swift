import AppStoreSimulator
import PerennialTestSupport
import PostgresHarness
import Testing

/// Nodes that come and go while notifications are sent to all of them, slowly.
struct MembershipCluster {
    typealias Owners = [Int: ShardOwner]

    private let benchmarks: BenchmarkNodes
    private let nodes: [SupervisedNode]
    private let load: ClusterLoad

    /// - Parameters:
    ///   - names: of nodes that are to come.
    ///   - settling: for how many seconds they have to have lived before they are given what another serves.
    init(_ names: [String], settling: Int) async throws {
        let corpus = try await onOwnThread { try SignedCorpus(count: 600, seed: 53) }
        let benchmarks = try await BenchmarkNodes(root: corpus.root, settling: settling)
        self.benchmarks = benchmarks
        self.nodes = names.map { name in SupervisedNode(name) { try benchmarks.launch(name) } }
        self.load = ClusterLoad(corpus.notifications, to: self.nodes, pause: .seconds(1))
        for node in self.nodes { node.keepDown() }
    }

    /// Sends notifications for as long as `body` takes. In the end each that was acknowledged has to be there, once; and no
    /// node may have ended by itself.
    func run(_ body: () async throws -> Void) async throws {
        try await withThrowingTaskGroup { group in
            for node in self.nodes { group.addTask { try await node.supervise() } }
            async let sending: Void = self.load.run()
            try await body()
            try await self.load.untilAcknowledged(10)
            self.load.end()
            try await sending
            try await self.expectPromisesKept()
            for node in self.nodes where node.identifier != nil { #expect(await node.stop() == 0) }
            group.cancelAll()
        }
        #expect(self.nodes.flatMap(\.ends).isEmpty)
    }

    private func expectPromisesKept() async throws {
        let database = self.benchmarks.database
        try await database.untilInboxIsApplied()
        let history = try await History(of: self.load, on: self.nodes, database)
        #expect(!history.logs.isEmpty)
        #expect(history.violations.isEmpty)
        #expect(self.load.strange.isEmpty)
    }

    // MARK: Nodes

    private func node(_ name: String) throws -> SupervisedNode {
        try #require(self.nodes.first { $0.name == name })
    }

    /// Returns when the node listens.
    func start(_ name: String) async throws {
        let node = try self.node(name)
        node.resume()
        while node.node == nil { try await Task.sleep(for: .milliseconds(20)) }
    }

    /// Returns when the node has ended.
    func kill(_ name: String) async throws {
        let node = try self.node(name)
        node.keepDown()
        while node.identifier != nil { try await Task.sleep(for: .milliseconds(20)) }
    }

    /// Stops a node in order, and returns when it has ended.
    func stop(_ name: String) async throws { #expect(try await self.node(name).stop() == 0) }

    // MARK: What they own

    func owners() async throws -> Owners { try await self.benchmarks.database.shardOwners() }

    /// Waits until each holds no less than a tenth under an equal share, and nothing moves any more: whoever is given a
    /// shard takes it once more.
    func untilDivided(among names: Set<String>) async throws -> Owners {
        var last: Owners = [:]
        var rest = 0
        while true {
            let owners = try await self.owners()
            let loads = owners.values.reduce(into: [:]) { $0[$1.node, default: 0] += 1 }
            let isDivided =
                owners.count == NodeProcess.shardCount && Set(loads.keys) == names
                && loads.values.allSatisfy { $0 >= NodeProcess.shardCount * 10 / (names.count * 11) }
            rest = isDivided && owners == last ? rest + 1 : 0
            if rest == 10 { return owners }
            last = owners
            try await Task.sleep(for: .milliseconds(100))
        }
    }

    /// Waits until a node has given so many more signs of life: a second apart or more.
    func untilBeaten(_ count: Int, by name: String) async throws {
        let before = try await self.benchmarks.beats(of: name)
        while try await self.benchmarks.beats(of: name) < before + count {
            try await Task.sleep(for: .milliseconds(100))
        }
    }

    /// A node comes, and is killed when the others have seen it.
    /// - Returns: who owned what just before that.
    func flap(_ name: String) async throws -> Owners {
        try await self.start(name)
        try await self.untilBeaten(1, by: name)
        let owners = try await self.owners()
        try await self.kill(name)
        return owners
    }
}
