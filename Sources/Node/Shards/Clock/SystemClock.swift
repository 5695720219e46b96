package import Subscriptions

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The machine's clock. A step of it shows as `offset`, and stays until the clock is back or the process starts anew.
package struct SystemClock: WallClock {
    private let start: Moment
    private let monotonicStart: ContinuousClock.Instant

    package init() {
        self.start = Self.read()
        self.monotonicStart = .now
    }

    package var now: Moment { Self.read() }

    package var offset: Milliseconds {
        let passed = Self.read().milliseconds - self.start.milliseconds
        let expected = (.now - self.monotonicStart) / .milliseconds(1)
        return Milliseconds(rawValue: passed - Int64(expected))
    }

    package func sleep(until moment: Moment) async throws {
        let milliseconds = moment.milliseconds.subtractingReportingOverflow(self.now.milliseconds).partialValue
        guard milliseconds > 0 else { return }
        // In slices: the clock may be set while we sleep.
        try await Task.sleep(for: .milliseconds(min(milliseconds, 30_000)))
    }

    private static func read() -> Moment {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Moment(milliseconds: Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000)
    }
}
