import NIOCore

extension NodeProcess {
    /// For how many seconds the shard that was current last in its own copy has not been; nil while nobody has said so.
    func mirrorAge() async throws -> Double? {
        let metrics = String(decoding: try await self.get("/metrics", patience: .minutes(2)).body, as: UTF8.self)
        let line = metrics.firstMatch(of: /(?m)^perennial_mirror_staleness_seconds ([-0-9.e]+)/)
        return line.flatMap { Double($0.output.1) }
    }
}
