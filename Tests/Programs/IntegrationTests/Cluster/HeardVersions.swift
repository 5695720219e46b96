import Testing

/// What somebody who follows was told of each stream: its versions, in the order in which they came.
struct HeardVersions: Sendable {
    /// By kind and id.
    private var versions: [String: [Int]] = [:]

    var count: Int { self.versions.values.reduce(0) { $0 + $1.count } }

    /// Which stream an event of the log is of; nil for what is no event.
    static func stream(of event: [String: Any]) -> String? {
        guard let stream = event["stream"] as? [String: Any], let id = stream["id"] as? String,
            let kind = stream["kind"] as? String
        else { return nil }
        return "\(kind) \(id)"
    }

    /// - Parameter change: as webhooks and server-sent events tell it.
    /// - Returns: false for what is no change.
    mutating func add(_ change: [String: Any]) -> Bool {
        guard let event = change["event"] as? [String: Any], let stream = Self.stream(of: event),
            let version = event["version"] as? Int
        else { return false }
        self.versions[stream, default: []].append(version)
        return true
    }

    /// - Parameter lengths: how many events there are of each stream.
    func areAll(of lengths: [String: Int]) -> Bool {
        lengths.allSatisfy { Set(self.versions[$0.key] ?? []) == Set(1...$0.value) }
    }

    /// Some may have come again, and none before what was before it.
    func expectOrder() {
        for (stream, versions) in self.versions {
            var seen = 0
            for version in versions where version > seen {
                #expect(version == seen + 1, "\(stream): \(versions)")
                seen = version
            }
        }
    }
}

extension NodeProcess {
    /// How many events the log has of each stream.
    func streamLengths() async throws -> [String: Int] {
        try await self.allEvents().reduce(into: [:]) { lengths, event in
            guard let stream = HeardVersions.stream(of: event) else { return }
            lengths[stream, default: 0] += 1
        }
    }
}
