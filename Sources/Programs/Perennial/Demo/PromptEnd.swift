import ServiceLifecycle

/// A service that has a moment to end when it is asked to, and is cut off then. Whoever watches a demo should not wait
/// for a client that is slow; what was answered is on disk.
struct PromptEnd: Service {
    let service: any Service

    private static let moment = Duration.milliseconds(1_000)

    func run() async throws {
        try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                try await self.service.run()
                return true
            }
            group.addTask {
                try await gracefulShutdown()
                try await Task.sleep(for: Self.moment)
                return false
            }
            let hasEnded = try await group.next() ?? true
            group.cancelAll()
            // Whatever it says about having been cut off is no news.
            if !hasEnded { while let _ = await group.nextResult() {} }
        }
    }
}
