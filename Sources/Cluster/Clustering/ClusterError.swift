/// Why a call to a shard's actor did not run, or its answer could not be read.
package struct ClusterError: Error, Sendable {
    package enum Code: Sendable {
        /// No node that can be reached has an actor of this name: nothing ran.
        case notOwner
        /// The store names this node itself, which does not serve the actor yet, or any more: nothing ran.
        case ownedHere
        /// The actor is of another type than the caller takes it for.
        case otherType
        /// Arguments, target or answer are not what the two sides agreed on.
        case malformed
        /// There has been no connection to the owner for a while: nothing ran.
        case unreachable
        /// The other side lets nobody call this function: nothing ran.
        case unknownTarget
        /// Too much is under way already, here or there: nothing ran.
        case overloaded
        /// The call is larger than a message may be: nothing ran.
        case tooLarge
        /// The connection broke, or its peer is another run now: the call may have run or not.
        case connectionLost
        /// No answer in time: the call may have run or not.
        case deadlineExceeded
        /// The caller was cancelled: the call may have run or not.
        case cancelled
        /// The call ran and threw; the message names the error's type.
        case failed
        /// This node cannot listen, or has been told to stop.
        case unavailable
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
