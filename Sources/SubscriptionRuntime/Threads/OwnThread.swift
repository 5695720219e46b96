import EventSourcing
import Foundation

/// Work that blocks, on a thread of its own: however busy the others are, it is not kept waiting by them.
enum OwnThread {
    /// - Returns: what `body` threw.
    static func run(_ name: String, _ body: @escaping @Sendable () throws(StoreError) -> Void) async -> StoreError? {
        await withCheckedContinuation { continuation in
            let thread = Thread {
                do throws(StoreError) {
                    try body()
                    continuation.resume(returning: nil)
                } catch {
                    continuation.resume(returning: error)
                }
            }
            thread.name = name
            thread.start()
        }
    }
}
