import Foundation

/// For work of seconds without a pause: the tasks of all tests share as many threads as there are processors, and would
/// wait for it.
func onOwnThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
        Thread.detachNewThread { continuation.resume(returning: body()) }
    }
}
