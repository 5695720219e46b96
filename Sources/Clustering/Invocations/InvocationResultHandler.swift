import Distributed
import Synchronization
package import WireProtocol

/// Keeps what a call that ran here gave, as bytes for the caller.
package final class InvocationResultHandler: DistributedTargetInvocationResultHandler {
    package typealias SerializationRequirement = any WireRepresentable

    private let result = Mutex<InvocationReply?>(nil)

    /// nil until the call has ended.
    var reply: InvocationReply? { self.result.withLock { $0 } }

    package func onReturn<Success: WireRepresentable>(value: Success) async throws {
        let bytes = try value.wireBytes()
        self.result.withLock { $0 = .value(bytes) }
    }

    package func onReturnVoid() async throws {
        self.result.withLock { $0 = .void }
    }

    package func onThrow<Err: Error>(error: Err) async throws {
        self.result.withLock { $0 = .failure(String(describing: error)) }
    }
}
