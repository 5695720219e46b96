package import Distributed
package import WireProtocol

/// Gathers the arguments of a call as bytes. Distributed functions of this system are not generic.
package struct InvocationEncoder: DistributedTargetInvocationEncoder {
    package typealias SerializationRequirement = any WireRepresentable

    private(set) var arguments: [[UInt8]] = []

    package mutating func recordGenericSubstitution<T>(_ type: T.Type) throws {
        throw ClusterError(.malformed, "a distributed function must not be generic")
    }

    package mutating func recordArgument<Value: WireRepresentable>(_ argument: RemoteCallArgument<Value>) throws {
        self.arguments.append(try argument.value.wireBytes())
    }

    package mutating func recordErrorType<E: Error>(_ type: E.Type) throws {}

    package mutating func recordReturnType<R: WireRepresentable>(_ type: R.Type) throws {}

    package mutating func doneRecording() throws {}
}
