extension NodeProcess {
    /// Its whole log, as the change stream tells it.
    func log() async throws -> [History.Entry] {
        try await self.allEvents().map { event in
            // A customer's is of no environment.
            let stream = (event["stream"] as? [String: Any])?.compactMapValues { $0 as? String } ?? [:]
            return History.Entry(
                stream: "\(stream["kind"] ?? "?") \(stream["id"] ?? "?") \(stream["environment"] ?? "-")",
                version: event["version"] as? Int ?? 0, notification: event["notificationUUID"] as? String)
        }
    }
}
