import Foundation

/// Threads of its own for verification, which is pure computing: the cooperative pool, on which everybody else waits,
/// stays free of it. Work beyond the bounds is refused at once.
///
/// What is signed under a known header has all threads but one, and never waits for anything else. Whoever comes with a
/// chain that nobody has vouched for yet shares that one, which runs when the processors have nothing better to do.
///
///     let reading = try await pool.run { () async throws(ReadingFailure) in try await reader.read(payload, now: now) }
package final class VerificationPool: Sendable {
    /// How many operations of unknown chains are under way at most, waiting ones among them: each takes a place among the
    /// requests of a listener as well, and those must be left to the known.
    package static let unknownLimit = 64

    private let known: VerificationThreads
    private let unknown: VerificationThreads

    /// - Parameters:
    ///   - threads: for what is known; as many as cores unless said.
    ///   - limit: operations with known headers under way at most, waiting ones among them.
    package init(threads: Int = ProcessInfo.processInfo.activeProcessorCount, limit: Int = 4_096) {
        self.known = VerificationThreads("verification", threads: threads, limit: limit)
        self.unknown = VerificationThreads("unknown-chains", threads: 1, limit: Self.unknownLimit, yields: true)
    }

    /// Whether it has nothing to do. A test's node lets what must not wait for verification wait for this.
    package var isIdle: Bool { self.known.isIdle && self.unknown.isIdle }

    /// Starts the threads. Once.
    package func start() {
        self.known.start()
        self.unknown.start()
    }

    /// Refuses new operations, waits for those under way, and ends the threads.
    package func stop() async {
        await self.known.stop()
        await self.unknown.stop()
    }

    /// Runs an operation on the pool's threads. Cancelling the caller does not drop it.
    /// - Parameter standing: of what it looks at first. What it looks at later is vouched for by that.
    /// - Throws: what `operation` throws. Beyond a bound, and when the pool is not running: `.overloaded`, or of an unknown
    ///   header a refusal that is retryable.
    package func run<Value: Sendable>(
        _ standing: HeaderStanding = .known, _ operation: @Sendable () async throws(ReadingFailure) -> Value
    ) async throws(ReadingFailure) -> Value {
        switch standing {
        case .known: return try await self.known.run(operation)
        case .unknown:
            do {
                return try await self.unknown.run(operation)
            } catch {
                throw error == .overloaded ? .refused(.tooManyUnknownChains) : error
            }
        }
    }
}
