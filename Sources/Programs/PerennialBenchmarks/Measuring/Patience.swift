/// How long a benchmark waits for what must come.
enum Patience {
    /// Asks again and again until `condition` holds.
    /// - Throws: when it does not within `bound`, saying `what` was waited for.
    static func until(
        _ what: String, every pause: Duration = .milliseconds(20), within bound: Duration = .seconds(60),
        _ condition: () async throws -> Bool
    ) async throws {
        let start = ContinuousClock.now
        while try await !condition() {
            guard ContinuousClock.now - start < bound else {
                throw BenchmarkError("not within \(bound.components.seconds) s: \(what)")
            }
            try await Task.sleep(for: pause)
        }
    }
}
