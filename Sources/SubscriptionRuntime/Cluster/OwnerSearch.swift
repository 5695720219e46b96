/// Asks again while a shard changes hands: the next owner may be another node, or this one.
enum OwnerSearch {
    /// For as long as a hand-off takes, and then.
    private static let firstPause = Duration.milliseconds(8)
    private static let laterPause = Duration.milliseconds(50)
    private static let handOff = Duration.milliseconds(100)

    /// - Parameter patience: after so long `.notOwner` is the answer.
    static func ask<Answer>(
        for patience: Duration, _ body: () async throws(ServiceError) -> Answer
    ) async throws(ServiceError) -> Answer {
        let start = ContinuousClock.now
        while true {
            let pause = .now - start < Self.handOff ? Self.firstPause : Self.laterPause
            do {
                return try await body()
            } catch {
                guard error.code == .notOwner, ContinuousClock.now + pause < start + patience, !Task.isCancelled else {
                    throw error
                }
            }
            try? await Task.sleep(for: pause)
        }
    }
}
