extension NodeProcess {
    static let shardCount = 256

    /// How many shards it owns, as far as it knows.
    func ownedShards() async throws -> Int {
        let metrics = String(decoding: try await self.get("/metrics").body, as: UTF8.self)
        let line = metrics.firstMatch(of: /(?m)^perennial_shards_owned ([0-9]+)/)
        return line.flatMap { Int($0.output.1) } ?? 0
    }
}
