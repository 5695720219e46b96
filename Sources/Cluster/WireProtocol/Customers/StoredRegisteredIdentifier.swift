package import Customers
import Subscriptions

/// The state in the row of an identifier's stream, and the rules that folded it.
package struct StoredRegisteredIdentifier: Hashable, Sendable {
    package let state: RegisteredIdentifier
    /// The version of the rules that folded the state. If it differs from `RegisteredIdentifier.logicVersion`, the owner folds the log again.
    package let logicVersion: Int

    /// A state folded by this binary.
    package init(_ state: RegisteredIdentifier) {
        self.state = state
        self.logicVersion = RegisteredIdentifier.logicVersion
    }

    /// - Throws: `WireError` when these are not the bytes of a state.
    package init(protoBytes: [UInt8]) throws(WireError) {
        let proto = try ProtoRegisteredIdentifier(decoding: protoBytes)
        self.logicVersion = Int(proto.logicVersion)
        self.state = RegisteredIdentifier(
            proto.hasIdentifier ? try proto.identifier.spelling() : nil,
            holder: proto.hasHolder ? CustomerID(stored: try proto.holder.spelling()) : nil,
            isProvisional: proto.provisional, isByLink: proto.byLink)
    }

    /// Reading these bytes gives the same state.
    package func protoBytes() throws(WireError) -> [UInt8] {
        var proto = ProtoRegisteredIdentifier()
        proto.logicVersion = Int64(self.logicVersion)
        proto.provisional = self.state.isProvisional
        proto.byLink = self.state.isByLink
        if let identifier = self.state.identifier { proto.identifier = ProtoIdentifier(identifier) }
        if let holder = self.state.holder { proto.holder = ProtoIdentifier(holder.rawValue) }
        return try proto.encoded()
    }
}
