import Foundation
import PerennialTestSupport
import SubscriptionRuntime
import Synchronization
import Testing

struct ThreadSignalTests {
    @Test func aPauseEndsWithItsTimeOrWithASignalWhicheverIsFirst() async {
        let signal = ThreadSignal()
        await onOwnThread {
            // by its time
            signal.wait(atMost: .milliseconds(1))
            // by signals before it, which are one
            signal.wake()
            signal.wake()
            signal.wait(atMost: .seconds(600))
            signal.wait(atMost: .milliseconds(1))
        }
        // by one during it
        async let pause: Void = onOwnThread { signal.wait(atMost: .seconds(600)) }
        signal.wake()
        await pause
        #expect(!signal.isStopping)
    }

    @Test func whoIsToStopDoesNotPauseAnyMore() async {
        let signal = ThreadSignal()
        async let pause: Void = onOwnThread { signal.wait(atMost: .seconds(600)) }
        signal.stop()
        await pause
        #expect(signal.isStopping)
        await onOwnThread { for _ in 0..<2 { signal.wait(atMost: .seconds(600)) } }
    }

    /// Nobody can set the clock back for a test. What the kernel was asked for says it as well.
    @Test func aPauseIsNotCountedByTheWallClock() async throws {
        let signal = ThreadSignal()
        let thread = Mutex<String?>(nil)
        async let _: Void = onOwnThread {
            let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
            thread.withLock { $0 = own }
            signal.wait(atMost: .seconds(600))
        }
        defer { signal.stop() }
        // At rest it is the same for a while.
        var rest: [SystemCall] = []
        while rest.count < 20 {
            try await Task.sleep(for: .milliseconds(5))
            let call = thread.withLock(\.self).flatMap(SystemCall.init(of:))
            if rest.last != call { rest = [] }
            if let call { rest.append(call) }
        }
        #expect(!rest[0].waitsByTheWallClock, "\(rest[0])")
    }
}

/// What a thread waits for in the kernel.
private struct SystemCall: Equatable {
    var number: Int
    var arguments: [UInt]

    /// - Parameter thread: its path below `/proc`.
    /// - Returns: nil while it runs.
    init?(of thread: String) {
        let line = (try? String(contentsOfFile: "/proc/\(thread)/syscall", encoding: .utf8)) ?? ""
        let fields = line.split(separator: " ")
        guard let number = fields.first.flatMap({ Int($0) }), fields.count > 6 else { return nil }
        self.number = number
        self.arguments = fields[1...6].compactMap { UInt($0.dropFirst(2), radix: 16) }
    }

    /// `futex` by `FUTEX_CLOCK_REALTIME`, with a time.
    var waitsByTheWallClock: Bool {
        #if arch(x86_64)
        let futex = 202
        #else
        let futex = 98
        #endif
        return self.number == futex && self.arguments[1] & 256 != 0 && self.arguments[3] != 0
    }
}
