import ArgumentParser
import Dispatch

/// Synchronous, and waits: the main thread of an asynchronous `main` sleeps in a system call (`sigsuspend`, of Dispatch)
/// whose argument valgrind 3.19 writes to where it may only read.
@main
enum Entry {
    static func main() {
        let hasEnded = DispatchSemaphore(value: 0)
        Task.detached {
            await PerennialBenchmarks.main()
            hasEnded.signal()
        }
        hasEnded.wait()
    }
}
