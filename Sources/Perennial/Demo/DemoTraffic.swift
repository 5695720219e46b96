import AppStoreSimulator
import JSONScanning
import ServiceLifecycle

/// Asks the node over HTTP what apps and services would ask: who is entitled, about everybody, round after round.
struct DemoTraffic: Service {
    let simulator: AppStoreSimulator
    let client: NodeClient
    let figures: DemoFigures

    private static let checksPerRequest = 50
    private static let pause = Duration.milliseconds(50)

    func run() async throws {
        try await untilGracefulShutdown {
            var meter = FreshnessMeter(speed: self.simulator.configuration.speed)
            while !Task.isCancelled {
                try await Task.sleep(for: Self.pause)
                // The node may still be starting.
                try? await self.askAboutEverybody(&meter)
            }
        }
    }

    private func askAboutEverybody(_ meter: inout FreshnessMeter) async throws {
        let now = self.simulator.time.now
        let ids = self.simulator.truths.ids(first: .max).filter { id in
            self.simulator.truths.truth(of: id)?.status(at: now) != nil
        }
        var states: [String: Int] = [:]
        for start in stride(from: 0, to: ids.count, by: Self.checksPerRequest) {
            let batch = ids[start..<min(start + Self.checksPerRequest, ids.count)]
            let results = try await self.ask(about: batch)
            for result in results { states[result["state"]?.plain ?? "unknown", default: 0] += 1 }
            self.figures.count(
                checks: results.count, entitled: results.contains { $0["entitled"]?.plain == "true" })
            try await Task.sleep(for: Self.pause)
        }
        self.figures.set(states: states)
        if let freshness = meter.read(try await self.client.text(["metrics"])) {
            self.figures.set(freshness: freshness)
        }
    }

    private func ask(about ids: ArraySlice<String>) async throws -> [JSONFragment] {
        let body = JSONWriter.text { json in
            json.member("checks") { json in
                json.array { json in
                    for id in ids { json.object { $0.member("subscription", id) } }
                }
            }
        }
        return try await self.client.post(["v1", "check"], body: body)["results"]?.items ?? []
    }
}
