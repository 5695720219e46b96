package import Customers
import Subscriptions

/// The state in the row of a customer's stream, and the rules that folded it.
package struct StoredCustomerState: Hashable, Sendable {
    package let state: CustomerState
    /// Where it is not `CustomerState.logicVersion`, the owner has to derive the state anew.
    package let logicVersion: Int

    /// A state folded by this binary.
    package init(_ state: CustomerState) {
        self.state = state
        self.logicVersion = CustomerState.logicVersion
    }

    /// - Throws: `WireError` when these are not the bytes of a state.
    package init(protoBytes: [UInt8]) throws(WireError) {
        let proto = try ProtoCustomerState(decoding: protoBytes)
        self.logicVersion = Int(proto.logicVersion)
        self.state = CustomerState(
            grants: proto.grants.map(Grant.init), attributes: proto.attributes.values.compactMapValues(\.self),
            changedAt: Moment(rawValue: proto.changedAt))
    }

    /// Reading these bytes gives the same state.
    package func protoBytes() throws(WireError) -> [UInt8] {
        var proto = ProtoCustomerState()
        proto.logicVersion = Int64(self.logicVersion)
        proto.grants = self.state.grants.map { $0.proto() }
        proto.changedAt = self.state.changedAt.rawValue
        if !self.state.attributes.isEmpty { proto.attributes = ProtoAttributes(self.state.attributes) }
        return try proto.encoded()
    }
}
