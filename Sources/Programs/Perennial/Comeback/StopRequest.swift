import Dispatch
import Foundation
import Synchronization

/// Whether SIGINT or SIGTERM has come. It hears them beside the service group, and longer: also when that has ended and the
/// process has not.
final class StopRequest: Sendable {
    static let signals = [SIGINT, SIGTERM]

    private let made = Mutex(false)

    private init() {}

    /// Listens for as long as `body` runs.
    static func listen(during body: (StopRequest) async throws -> Void) async throws {
        let request = StopRequest()
        let sources = Self.signals.map { signal in
            let source = DispatchSource.makeSignalSource(signal: signal)
            source.setEventHandler { request.made.withLock { $0 = true } }
            source.resume()
            return source
        }
        defer { sources.forEach { $0.cancel() } }
        try await body(request)
    }

    var isMade: Bool { self.made.withLock(\.self) }

    /// Returns when it has been made, or after `pause`.
    func wait(atMost pause: Duration) async throws {
        let end = ContinuousClock.now + pause
        while !self.isMade, ContinuousClock.now < end {
            try await Task.sleep(for: min(Self.step, end - .now))
        }
    }

    private static let step = Duration.milliseconds(50)

    /// From now on such a signal ends the process at once, with exit code 0, since nothing has to be ended in order any more.
    /// Returns when one that came before must have been heard.
    func endAtOnce() async throws {
        for number in Self.signals { signal(number) { _ in _exit(0) } }
        try await self.wait(atMost: Self.longestWay)
    }

    /// From the kernel through a thread of Dispatch to here.
    private static let longestWay = Duration.milliseconds(100)
}
