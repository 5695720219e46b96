import EventSourcing
import Foundation
import Synchronization

/// Work that blocks, on a thread of its own: however busy the others are, it is not kept waiting by them.
enum OwnThread {
    /// - Returns: what `body` threw.
    static func run(_ name: String, _ body: @escaping @Sendable () throws(StoreError) -> Void) async -> StoreError? {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                // Before a thread runs, Foundation does not tell the system.
                Thread.current.name = name
                do throws(StoreError) {
                    try body()
                    continuation.resume(returning: nil)
                } catch {
                    continuation.resume(returning: error)
                }
            }
        }
    }

    /// - Returns: what `body` returned.
    static func value<Value: Sendable>(
        _ name: String, _ body: @escaping @Sendable () throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        let found = Mutex<Value?>(nil)
        let failure = await Self.run(name) { () throws(StoreError) in
            let value = try body()
            found.withLock { $0 = value }
        }
        if let failure { throw failure }
        guard let value = found.withLock(\.self) else { preconditionFailure("what did not fail has a result") }
        return value
    }
}
