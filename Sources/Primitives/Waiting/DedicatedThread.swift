import Foundation

/// A thread for work that blocks, so that no thread of the cooperative pool waits.
package enum DedicatedThread {
    /// Starts a thread, which ends when `body` returns.
    /// - Parameter name: what `top -H` and `ps -L` show; at most 15 bytes.
    package static func start(named name: String, _ body: @escaping @Sendable () -> Void) {
        Thread.detachNewThread {
            // `Thread.name` is lost when the new thread runs before Foundation has noted its id.
            try? FileHandle(forWritingAtPath: "/proc/thread-self/comm")?.write(contentsOf: Data(name.utf8))
            body()
        }
    }

    /// Runs work that blocks. However busy the other threads are, it does not wait for them.
    package static func run<Value: Sendable, Failure: Error>(
        named name: String, _ body: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let result = await withCheckedContinuation { continuation in
            Self.start(named: name) {
                continuation.resume(returning: Result { () throws(Failure) in try body() })
            }
        }
        return try result.get()
    }

    /// - Returns: what `body` threw; nil when it threw nothing.
    package static func failure<Failure: Error>(
        named name: String, of body: @escaping @Sendable () throws(Failure) -> Void
    ) async -> Failure? {
        do throws(Failure) {
            try await Self.run(named: name, body)
            return nil
        } catch {
            return error
        }
    }
}
