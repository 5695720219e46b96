/// Time that only ever runs forward, and chance. Tests bring their own.
package struct ServerAPITime: Sendable {
    /// Since some moment that stays the same.
    package let elapsed: @Sendable () -> Duration
    /// Returns after a duration, or when the task is cancelled.
    package let sleep: @Sendable (Duration) async -> Void
    /// Evenly distributed in 0..<1.
    package let chance: @Sendable () -> Double

    package init(
        elapsed: @escaping @Sendable () -> Duration, sleep: @escaping @Sendable (Duration) async -> Void,
        chance: @escaping @Sendable () -> Double
    ) {
        self.elapsed = elapsed
        self.sleep = sleep
        self.chance = chance
    }

    /// The machine's own, which goes on while it sleeps.
    package static let system: ServerAPITime = {
        let start = ContinuousClock.now
        return ServerAPITime(
            elapsed: { start.duration(to: .now) },
            sleep: { try? await Task.sleep(for: $0, clock: .continuous) },
            chance: { Double.random(in: 0..<1) })
    }()
}

extension ServerAPITime {
    /// Runs `operation`, and cancels it when it has taken too long.
    /// - Throws: what `operation` throws; `.timedOut`, `.cancelled`.
    func limit<Answer: Sendable>(
        to limit: Duration, _ operation: @escaping @Sendable () async throws(ServerAPIError) -> Answer
    ) async throws(ServerAPIError) -> Answer {
        let result = await withTaskGroup(of: Result<Answer, ServerAPIError>.self) { group in
            group.addTask {
                do throws(ServerAPIError) { return .success(try await operation()) } catch { return .failure(error) }
            }
            group.addTask {
                await self.sleep(limit)
                return .failure(Task.isCancelled ? .cancelled : .timedOut)
            }
            let first = await group.next()
            group.cancelAll()
            return first ?? .failure(.cancelled)
        }
        return try result.get()
    }
}

extension ServerAPIError {
    static let cancelled = ServerAPIError(.cancelled, "the call was cancelled")
    static let timedOut = ServerAPIError(.timedOut, "there was no answer in time")
}
