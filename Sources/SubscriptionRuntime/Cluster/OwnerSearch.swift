/// Asks again while a shard changes hands: the next owner may be another node, or this one.
enum OwnerSearch {
    private static let firstPause = Duration.milliseconds(5)
    private static let longestPause = Duration.milliseconds(50)

    /// - Parameter patience: after so long `.notOwner` is the answer.
    static func ask<Answer>(
        for patience: Duration, _ body: () async throws(ServiceError) -> Answer
    ) async throws(ServiceError) -> Answer {
        let deadline = ContinuousClock.now + patience
        var pause = Self.firstPause
        while true {
            do {
                return try await body()
            } catch {
                guard error.code == .notOwner, ContinuousClock.now + pause < deadline, !Task.isCancelled else {
                    throw error
                }
            }
            try? await Task.sleep(for: pause)
            pause = min(pause * 2, Self.longestPause)
        }
    }
}
