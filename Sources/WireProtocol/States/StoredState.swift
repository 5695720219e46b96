package import Subscriptions

/// The state in a stream's row, and the rules that folded it.
package struct StoredState: Hashable, Sendable {
    package let state: StreamState
    /// Where it is not `StreamState.logicVersion`, the owner has to derive the state anew.
    package let logicVersion: Int

    /// A state folded by this binary.
    package init(_ state: StreamState) {
        self.state = state
        self.logicVersion = StreamState.logicVersion
    }

    /// - Throws: `WireError` when these are not the bytes of a state.
    package init(protoBytes: [UInt8], key: StreamKey) throws(WireError) {
        let proto = try ProtoStreamState(decoding: protoBytes)
        self.state = try StreamState(proto, key: key)
        self.logicVersion = Int(proto.logicVersion)
    }

    /// Reading these bytes with the state's own key gives the same state, byte for byte in all its texts.
    package func protoBytes() -> [UInt8] { self.state.written(logicVersion: self.logicVersion) }
}
