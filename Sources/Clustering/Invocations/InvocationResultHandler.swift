import Distributed
import Synchronization
package import WireProtocol

/// Keeps what a call that ran here gave, as bytes for the caller.
package final class InvocationResultHandler: DistributedTargetInvocationResultHandler {
    package typealias SerializationRequirement = any WireRepresentable

    private let contract: CallContract
    private let result = Mutex<ClusterSystem.Execution?>(nil)

    init(_ contract: CallContract) { self.contract = contract }

    /// nil until the call has ended.
    var execution: ClusterSystem.Execution? { self.result.withLock { $0 } }

    package func onReturn<Success: WireRepresentable>(value: Success) async throws {
        let execution: ClusterSystem.Execution =
            if let eventual = value as? any EventualResult {
                .eventual(eventual)
            } else {
                .reply(.value(try value.wireBytes()))
            }
        self.result.withLock { $0 = execution }
    }

    package func onReturnVoid() async throws {
        self.result.withLock { $0 = .reply(.nothing) }
    }

    package func onThrow<Err: Error>(error: Err) async throws {
        let failure = self.contract.failure(error)
        self.result.withLock { $0 = .reply(.failure(failure)) }
    }
}
