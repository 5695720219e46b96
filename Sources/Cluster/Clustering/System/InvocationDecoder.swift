import Distributed
package import WireProtocol

/// Hands a call's arguments to the function that was called, in order.
package struct InvocationDecoder: DistributedTargetInvocationDecoder {
    package typealias SerializationRequirement = any WireRepresentable

    private var rest: ArraySlice<[UInt8]>
    private let handler: InvocationResultHandler

    /// - Parameter handler: hears of arguments that do not fit.
    init(_ invocation: Invocation, _ handler: InvocationResultHandler) {
        self.rest = invocation.arguments[...]
        self.handler = handler
    }

    package mutating func decodeGenericSubstitutions() throws -> [any Any.Type] { [] }

    package mutating func decodeNextArgument<Argument: WireRepresentable>() throws -> Argument {
        guard let bytes = self.rest.popFirst() else {
            throw self.handler.refuse(ClusterError(.malformed, "a call came with too few arguments"))
        }
        do {
            return try Argument(wireBytes: bytes)
        } catch {
            throw self.handler.refuse(
                ClusterError(.malformed, "an argument that cannot be read: \(type(of: error))", cause: error))
        }
    }

    package mutating func decodeErrorType() throws -> (any Any.Type)? { nil }

    package mutating func decodeReturnType() throws -> (any Any.Type)? { nil }
}
