package import EventLog

/// The ends of all logs as the store has them, for many who follow: asked for once for all of them, and a moment old.
package actor SharedHeads {
    private static let interval = Duration.milliseconds(100)

    private let store: any EventStore
    private var known: (heads: [Position], at: ContinuousClock.Instant)?
    private var question: Task<[Position], any Error>?

    package init(store: any EventStore) { self.store = store }

    func heads() async throws -> [Position] {
        if let known, .now - known.at < Self.interval { return known.heads }
        if let question { return try await question.value }
        let asked = ContinuousClock.now
        // Not of whoever asks first: he may leave, and others wait for it too.
        let question = Task { [store] in try await store.heads() }
        self.question = question
        defer { self.question = nil }
        let heads = try await question.value
        self.known = (heads, asked)
        return heads
    }
}
