package import WireProtocol

/// What may be called on the actors of a cluster from another node, and which errors cross as what they are. All nodes
/// have to agree on the numbers, which therefore are never given away twice. Whatever is not listed does not run.
package struct CallContract: Sendable {
    package struct Target: Hashable, Sendable {
        package var number: UInt32
        /// The mangled name of the function's thunk, as `RemoteCallTarget.identifier` has it.
        package var identifier: String
        /// Calls of one caller to one shard run one after the other, in the order in which they were made. Each should
        /// return soon, with an `EventualResult` where its work takes longer. Such a call cannot be cancelled.
        package var isOrdered: Bool
        /// An ordered function of one `CommandBatch` that returns `EventualOutcomes`. Where its shard is served with an
        /// inbox the batch goes there at once: finding the function by its name and a task to call it costs more than
        /// most batches.
        package var usesInbox: Bool

        package init(_ number: UInt32, _ identifier: String, isOrdered: Bool, usesInbox: Bool = false) {
            precondition(isOrdered || !usesInbox, "an inbox takes ordered calls alone")
            self.number = number
            self.identifier = identifier
            self.isOrdered = isOrdered
            self.usesInbox = usesInbox
        }
    }

    package typealias Throwable = any (Error & WireRepresentable).Type

    private let targets: [UInt32: Target]
    private let targetsByIdentifier: [String: Target]
    private let errors: [UInt32: Throwable]

    package init(targets: [Target] = [], errors: [UInt32: Throwable] = [:]) {
        self.targets = Dictionary(uniqueKeysWithValues: targets.map { ($0.number, $0) })
        self.targetsByIdentifier = Dictionary(uniqueKeysWithValues: targets.map { ($0.identifier, $0) })
        self.errors = errors
    }

    func target(_ number: UInt32) -> Target? { self.targets[number] }

    package func target(identifier: String) -> Target? { self.targetsByIdentifier[identifier] }

    // MARK: Errors

    /// What a function threw, for the other side.
    func failure(_ error: any Error) -> RemoteFailure {
        if let error = error as? any (Error & WireRepresentable),
            let number = self.errors.first(where: { $0.value == type(of: error) })?.key,
            let content = try? error.wireBytes()
        {
            return RemoteFailure(.thrown, "", error: RemoteFailure.ThrownError(number: number, content: content))
        }
        // Only the type: what an error says of itself may hold what it was about.
        return RemoteFailure(.thrown, "\(type(of: error))")
    }

    /// The error that `failure` was made of, or one that says what happened there.
    func error(_ failure: RemoteFailure) -> any Error {
        if let thrown = failure.error, let type = self.errors[thrown.number],
            let error = try? type.init(wireBytes: thrown.content)
        {
            return error
        }
        let code: ClusterError.Code =
            switch failure.code {
            case .thrown: .failed
            case .notOwner: .notOwner
            case .overloaded: .overloaded
            case .unknownTarget: .unknownTarget
            case .malformed: .malformed
            }
        return ClusterError(code, failure.message)
    }
}
