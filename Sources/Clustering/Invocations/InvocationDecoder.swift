import Distributed
package import WireProtocol

/// Hands a call's arguments to the function that was called, in order.
package struct InvocationDecoder: DistributedTargetInvocationDecoder {
    package typealias SerializationRequirement = any WireRepresentable

    private var rest: ArraySlice<[UInt8]>

    package init(_ invocation: Invocation) { self.rest = invocation.arguments[...] }

    package mutating func decodeGenericSubstitutions() throws -> [any Any.Type] { [] }

    package mutating func decodeNextArgument<Argument: WireRepresentable>() throws -> Argument {
        guard let bytes = self.rest.popFirst() else {
            throw ClusterError(.malformed, "a call came with too few arguments")
        }
        return try Argument(wireBytes: bytes)
    }

    package mutating func decodeErrorType() throws -> (any Any.Type)? { nil }

    package mutating func decodeReturnType() throws -> (any Any.Type)? { nil }
}
