/// How long a benchmark waits for what must come.
enum Patience {
    private static let bound = Duration.seconds(60)

    /// Asks again and again until `condition` holds.
    /// - Throws: when it does not for a minute, saying `what` was waited for.
    static func until(
        _ what: String, every pause: Duration = .milliseconds(20), _ condition: () async throws -> Bool
    ) async throws {
        let start = ContinuousClock.now
        while try await !condition() {
            guard ContinuousClock.now - start < Self.bound else { throw BenchmarkError("not within a minute: \(what)") }
            try await Task.sleep(for: pause)
        }
    }
}
