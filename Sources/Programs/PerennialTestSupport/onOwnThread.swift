import Foundation

/// How much others are let through.
package enum OwnThreadUse: Sendable {
    /// Waits for a process or a lock.
    case blocking
    /// Works for seconds, and leaves the processors to servers and deadlines whenever they have need of them.
    case searching
}

/// For what makes no pause: the tasks of all tests share as many threads as there are processors, and would wait for it.
package func onOwnThread<Value: Sendable, Failure: Error>(
    _ use: OwnThreadUse = .blocking, _ body: @escaping @Sendable () throws(Failure) -> Value
) async throws(Failure) -> Value {
    let result = await withCheckedContinuation { continuation in
        Thread.detachNewThread {
            #if os(Linux)
            // Of this thread alone, whatever POSIX says: setpriority(2), "C library/kernel differences".
            if use == .searching { setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10) }
            #endif
            continuation.resume(returning: Result(catching: body))
        }
    }
    return try result.get()
}
