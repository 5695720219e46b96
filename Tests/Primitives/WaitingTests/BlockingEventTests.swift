import Foundation
import Synchronization
import Testing
import Waiting

/// Whoever is not woken is so after ten minutes, which is too late.
@Suite(.timeLimit(.minutes(5))) struct BlockingEventTests {
    @Test func aPauseEndsWithItsTimeOrWithASignalWhicheverIsFirst() async {
        let signal = BlockingEvent()
        await DedicatedThread.run(named: "paused") {
            // by its time
            signal.wait(atMost: .milliseconds(1))
            // by signals before it, which are one
            signal.wake()
            signal.wake()
            signal.wait(atMost: .seconds(600))
            let start = ContinuousClock.now
            signal.wait(atMost: .milliseconds(50))
            #expect(.now - start >= .milliseconds(50))
        }
        // by one during it
        async let pause: Void = DedicatedThread.run(named: "paused") { signal.wait(atMost: .seconds(600)) }
        signal.wake()
        await pause
        #expect(!signal.isStopping)
    }

    @Test func whoIsToStopDoesNotPauseAnyMore() async {
        let signal = BlockingEvent()
        async let pause: Void = DedicatedThread.run(named: "paused") { signal.wait(atMost: .seconds(600)) }
        signal.stop()
        await pause
        #expect(signal.isStopping)
        await DedicatedThread.run(named: "paused") { for _ in 0..<2 { signal.wait(atMost: .seconds(600)) } }
    }

    /// Nobody can set the clock back for a test. What the kernel was asked for says it as well: `poll` takes how long, and not until
    /// when. A semaphore of Dispatch is a `futex` with `FUTEX_CLOCK_REALTIME`.
    @Test func aPauseIsNotCountedByTheWallClock() async throws {
        let signal = BlockingEvent()
        let thread = Mutex<String?>(nil)
        async let _: Void = DedicatedThread.run(named: "paused") {
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
        #expect(rest[0].isPoll, "\(rest[0])")
    }
}

/// What a thread waits for in the kernel.
private struct SystemCall: Equatable {
    private var number: Int
    private var arguments: [Substring]

    /// - Parameter thread: its path below `/proc`.
    /// - Returns: nil while it runs.
    init?(of thread: String) {
        let line = (try? String(contentsOfFile: "/proc/\(thread)/syscall", encoding: .utf8)) ?? ""
        let fields = line.split(separator: " ")
        guard let number = fields.first.flatMap({ Int($0) }), fields.count > 6 else { return nil }
        self.number = number
        self.arguments = Array(fields[1...6])
    }

    /// Or `ppoll`, where there is no other.
    var isPoll: Bool {
        #if arch(x86_64)
        self.number == 7
        #else
        self.number == 73
        #endif
    }
}
