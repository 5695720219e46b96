/// Why a call to a shard's actor did not run, or its answer could not be read.
package struct ClusterError: Error, Sendable {
    package enum Code: Sendable {
        /// No node that can be reached has an actor of this name.
        case notOwner
        /// The actor is of another type than the caller takes it for.
        case otherType
        /// Arguments, target or answer are not what the two sides agreed on.
        case malformed
        /// The call ran and threw; the message is the error's description.
        case failed
    }

    package let code: Code
    package let message: String
    package let cause: (any Error)?
    package let location: String

    package init(
        _ code: Code, _ message: String, cause: (any Error)? = nil, file: String = #fileID, line: Int = #line
    ) {
        self.code = code
        self.message = message
        self.cause = cause
        self.location = "\(file):\(line)"
    }
}
