/// One call of a distributed function, as it crosses the wire: the target's mangled name and each argument's bytes.
package struct Invocation: Hashable, Sendable {
    package var target: String
    package var arguments: [[UInt8]]

    package init(target: String, arguments: [[UInt8]]) {
        self.target = target
        self.arguments = arguments
    }
}

/// What comes back.
package enum InvocationReply: Hashable, Sendable {
    case value([UInt8])
    case void
    /// The description of what the function threw.
    case failure(String)
}
