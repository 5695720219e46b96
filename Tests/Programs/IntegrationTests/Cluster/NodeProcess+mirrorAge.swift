import NIOCore

extension NodeProcess {
    /// For how many seconds the shard that was current last in its own copy has not been; nil while nobody has said so.
    func mirrorAge() async throws -> Double? {
        try await self.gauge("perennial_mirror_staleness_seconds", patience: .minutes(2))
    }
}
