extension NodeProcess {
    static let shardCount = 256

    /// How many shards it owns, as far as it knows.
    func ownedShards() async throws -> Int {
        Int(try await self.gauge("perennial_shards_owned") ?? 0)
    }

    /// Waits until each of these has its share, after which nothing moves by itself.
    static func untilEvenlyDivided(among nodes: [NodeProcess]) async throws {
        while true {
            var owned: [Int] = []
            for node in nodes { owned.append(try await node.ownedShards()) }
            if owned.reduce(0, +) == Self.shardCount,
                owned.allSatisfy({ $0 >= Self.shardCount * 10 / (nodes.count * 11) })
            {
                return
            }
            try await Task.sleep(for: .milliseconds(100))
        }
    }
}
