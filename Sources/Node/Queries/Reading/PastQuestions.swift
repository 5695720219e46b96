import ServiceContract
import Synchronization
import Waiting

/// Questions about the past: each folds the whole log of a stream, so they have threads of their own, and few are answered
/// at a time.
final class PastQuestions: Sendable {
    private static let limit = 16

    private let underWay = Atomic(0)

    /// - Throws: `.overloaded` where there are too many, and what `body` throws.
    func ask<Answer: Sendable>(_ body: () async throws -> Answer) async throws -> Answer {
        defer { self.underWay.wrappingSubtract(1, ordering: .relaxed) }
        guard self.underWay.wrappingAdd(1, ordering: .relaxed).newValue <= Self.limit else {
            throw ServiceError(
                .overloaded, "\(Self.limit) questions about the past are being answered already: ask again in a moment")
        }
        return try await FoldingThreads.shared.run(body)
    }
}
