package import Subscriptions

/// The state in a stream's row, and the rules that folded it.
package struct StoredState: Hashable, Sendable {
    package let state: StreamState
    /// Where it is not `StreamState.logicVersion`, the owner has to derive the state anew.
    package let logicVersion: Int

    /// A state folded by this binary.
    package init(_ state: StreamState) { self.init(state, logicVersion: StreamState.logicVersion) }

    init(_ state: StreamState, logicVersion: Int) {
        self.state = state
        self.logicVersion = logicVersion
    }

    /// - Throws: `WireError` when these are not the bytes of a state.
    package init(protoBytes: [UInt8], key: StreamKey) throws(WireError) {
        self = try MessageReader.read(protoBytes, as: ProtoStreamState.self) { message throws(WireError) in
            try StoredState(message, of: key)
        }
    }

    /// Reading these bytes with the state's own key gives the same state, byte for byte in all its texts.
    package func protoBytes() -> [UInt8] { self.state.written(logicVersion: self.logicVersion) }
}
