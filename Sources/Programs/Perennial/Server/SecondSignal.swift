import Dispatch
import Foundation
import ServiceLifecycle
import Synchronization

/// Ends the process at the second SIGINT or SIGTERM, for those who do not want to wait for the drain.
struct SecondSignal: Service {
    /// Supervisors may send one signal to a process and then to its group: that is one wish, not two.
    private static let shortestPause = Duration.milliseconds(500)

    func run() async throws {
        let first = FirstSignal()
        let sources = [SIGINT, SIGTERM].map { signal in
            let source = DispatchSource.makeSignalSource(signal: signal)
            source.setEventHandler {
                guard first.age() > Self.shortestPause else { return }
                Console.complain("stopped at once, by a second signal")
                _exit(1)
            }
            source.resume()
            return source
        }
        try? await gracefulShutdown()
        // The group ends its services in reverse order and this one last, so the sources live through the drain.
        sources.forEach { $0.cancel() }
    }

    private final class FirstSignal: Sendable {
        private let received = Mutex<ContinuousClock.Instant?>(nil)

        /// How long ago the first signal was received; zero for the first.
        func age() -> Duration {
            let now = ContinuousClock.now
            return now
                - self.received.withLock { received in
                    received = received ?? now
                    return received ?? now
                }
        }
    }
}
