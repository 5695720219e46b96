import Distributed
import Synchronization
package import WireProtocol

/// Keeps what a call that ran here gave, as bytes for the caller.
package final class InvocationResultHandler: DistributedTargetInvocationResultHandler {
    package typealias SerializationRequirement = any WireRepresentable

    private let contract: CallContract
    private struct State {
        var execution: ClusterSystem.Execution?
        var refusal: ClusterError?
    }

    private let state = Mutex(State())

    init(_ contract: CallContract) { self.contract = contract }

    /// - Throws: when the arguments did not fit, so that nothing ran.
    func execution() throws(ClusterError) -> ClusterSystem.Execution {
        let state = self.state.withLock { $0 }
        if let refusal = state.refusal { throw refusal }
        guard let execution = state.execution else { throw ClusterError(.malformed, "a call gave no answer") }
        return execution
    }

    /// Swift hands what reading an argument throws to `onThrow` as if the function had thrown it.
    func refuse(_ error: ClusterError) -> ClusterError {
        self.state.withLock { $0.refusal = error }
        return error
    }

    package func onReturn<Success: WireRepresentable>(value: Success) async throws {
        let execution: ClusterSystem.Execution =
            if let eventual = value as? any EventualResult {
                .eventual(eventual)
            } else {
                .reply(.value(try value.wireBytes()))
            }
        self.state.withLock { $0.execution = execution }
    }

    package func onReturnVoid() async throws {
        self.state.withLock { $0.execution = .reply(.nothing) }
    }

    package func onThrow<Err: Error>(error: Err) async throws {
        let failure = self.contract.failure(error)
        self.state.withLock { $0.execution = .reply(.failure(failure)) }
    }
}
