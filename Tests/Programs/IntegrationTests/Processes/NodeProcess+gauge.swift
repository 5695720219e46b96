import NIOCore

extension NodeProcess {
    /// A gauge without labels; nil while the node has not said anything of it.
    func gauge(_ name: String, patience: TimeAmount = .minutes(2)) async throws -> Double? {
        let metrics = String(decoding: try await self.get("/metrics", patience: patience).body, as: UTF8.self)
        return metrics.split(separator: "\n").first { $0.hasPrefix("\(name) ") }
            .flatMap { Double($0.dropFirst(name.count + 1)) }
    }
}
