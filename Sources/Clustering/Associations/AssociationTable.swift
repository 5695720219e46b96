import EventSourcing
import Synchronization

/// The association with each node that is called: made at the first call, replaced when the node is another run.
final class AssociationTable: Sendable {
    private struct State {
        var associations: [NodeID: Association] = [:]
        var isClosed = false
    }

    private let make: @Sendable (Peer) -> Association
    private let wake: @Sendable () -> Void
    private let state = Mutex(State())

    init(wake: @escaping @Sendable () -> Void, make: @escaping @Sendable (Peer) -> Association) {
        self.make = make
        self.wake = wake
    }

    /// What the reactor has to have sockets for.
    var all: [Association] { self.state.withLock { Array($0.associations.values) } }

    /// nil once this node has been told to stop.
    func association(with peer: Peer) -> Association? {
        let (association, replaced) = self.state.withLock { state -> (Association?, Association?) in
            guard !state.isClosed else { return (nil, nil) }
            let present = state.associations[peer.node]
            if let present, present.peer == peer { return (present, nil) }
            let association = self.make(peer)
            state.associations[peer.node] = association
            return (association, present)
        }
        replaced.map(self.close)
        return association
    }

    /// Ends those whose peer is no more what it was.
    func keep(_ isCurrent: (Peer) -> Bool) {
        let gone = self.state.withLock { state in
            let gone = state.associations.values.filter { !isCurrent($0.peer) }
            for association in gone { state.associations[association.peer.node] = nil }
            return gone
        }
        for association in gone { self.close(association) }
    }

    /// The peer has said that it is another run.
    func remove(_ association: Association) {
        self.state.withLock { state in
            guard state.associations[association.peer.node] === association else { return }
            state.associations[association.peer.node] = nil
        }
        self.close(association)
    }

    /// Nothing is called any more.
    func closeAll() {
        let all = self.state.withLock { state in
            state.isClosed = true
            defer { state.associations = [:] }
            return Array(state.associations.values)
        }
        for association in all {
            association.close(ClusterError(.unavailable, "this node is shutting down"))
        }
        self.wake()
    }

    private func close(_ association: Association) {
        association.close(
            ClusterError(.connectionLost, "node \(association.peer.node.rawValue) is another run by now"))
        self.wake()
    }
}
