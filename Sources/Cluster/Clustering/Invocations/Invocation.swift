package import WireProtocol

/// One call of a distributed function: the target's mangled name and each argument's bytes.
package struct Invocation: Hashable, Sendable {
    package var target: String
    package var arguments: [[UInt8]]

    package init(target: String, arguments: [[UInt8]]) {
        self.target = target
        self.arguments = arguments
    }
}

/// What comes back.
package typealias InvocationReply = RemoteReply.Outcome
