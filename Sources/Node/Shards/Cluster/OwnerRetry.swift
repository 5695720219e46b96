package import ServiceContract

/// Asks again while a shard changes hands: the next owner may be another node, or this one.
package enum OwnerRetry {
    /// For as long as a hand-off takes, and then.
    private static let firstPause = Duration.milliseconds(8)
    private static let laterPause = Duration.milliseconds(50)
    private static let handOff = Duration.milliseconds(100)

    /// - Parameter patience: after so long `.notOwner` is the answer.
    package static func ask<Answer>(
        for patience: Duration, _ body: () async throws(ServiceError) -> Answer
    ) async throws(ServiceError) -> Answer {
        let start = ContinuousClock.now
        while true {
            do {
                return try await body()
            } catch {
                guard error.code == .notOwner, await Self.pause(since: start, for: patience) else { throw error }
            }
        }
    }

    /// Gives a shard a moment to find its owner.
    /// - Returns: false, at once, when patience is over.
    package static func pause(since start: ContinuousClock.Instant, for patience: Duration) async -> Bool {
        let now = ContinuousClock.now
        let pause = now - start < Self.handOff ? Self.firstPause : Self.laterPause
        guard now + pause < start + patience, !Task.isCancelled else { return false }
        try? await Task.sleep(for: pause)
        return true
    }
}
