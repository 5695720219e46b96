package import SwiftProtobuf

/// What can cross from one node to another: the serialization requirement of the cluster's actor system.
package protocol WireRepresentable: Sendable {
    /// - Throws: `WireError` when `wireBytes` are not what `wireBytes()` writes.
    init(wireBytes: [UInt8]) throws
    func wireBytes() throws -> [UInt8]
}

/// What crosses as one of the messages of `proto/`. Conforming types translate; the bytes come with it.
package protocol ProtoRepresentable: WireRepresentable {
    associatedtype Proto: SwiftProtobuf.Message

    /// - Throws: `WireError` when `proto` lacks what this type must have, or says what it cannot say.
    init(_ proto: Proto) throws(WireError)
    func proto() -> Proto
}

extension ProtoRepresentable {
    package init(wireBytes: [UInt8]) throws(WireError) { try self.init(Proto(decoding: wireBytes)) }

    package func wireBytes() throws(WireError) -> [UInt8] { try self.proto().encoded() }
}

extension SwiftProtobuf.Message {
    init(decoding bytes: [UInt8], discardingUnknownFields: Bool = false) throws(WireError) {
        var options = BinaryDecodingOptions()
        options.discardUnknownFields = discardingUnknownFields
        do {
            try self.init(serializedBytes: bytes, options: options)
        } catch {
            throw WireError(.malformed, "not a \(Self.protoMessageName)", cause: error)
        }
    }

    func encoded() throws(WireError) -> [UInt8] {
        do {
            return try self.serializedBytes()
        } catch {
            throw WireError(.tooLarge, "\(Self.protoMessageName) cannot be written", cause: error)
        }
    }
}
