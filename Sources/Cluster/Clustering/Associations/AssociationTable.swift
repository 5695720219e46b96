import EventLog
import Synchronization

/// The association with each node that is called, or watched: made when that begins, ended when the node is another run.
final class AssociationTable: Sendable {
    private struct State {
        /// Whom the store named last. A caller that still goes by an older reading must not take the place of these.
        var peers: [NodeID: Peer] = [:]
        var associations: [NodeID: Association] = [:] { didSet { self.version += 1 } }
        var version = 0
        /// How many there have been. Each numbers its calls after those of the ones before: to a run that is called again,
        /// say under another address, older numbers would look like repetitions.
        var made: UInt64 = 0
        var isClosed = false
        /// Runs that live, where it is known; a new association with any other would only wait for a connection.
        var living: Set<ShardRecord.Owner>?
    }

    private let make: @Sendable (Peer, _ generation: UInt64) -> Association
    private let wake: @Sendable () -> Void
    private let state = Mutex(State())

    init(wake: @escaping @Sendable () -> Void, make: @escaping @Sendable (Peer, UInt64) -> Association) {
        self.make = make
        self.wake = wake
    }

    var all: [Association] { self.state.withLock { Array($0.associations.values) } }

    /// nil while they are those of `version`, which begins with 0 for none.
    func all(after version: inout Int) -> [Association]? {
        self.state.withLock { state in
            guard state.version != version else { return nil }
            version = state.version
            return Array(state.associations.values)
        }
    }

    /// Nothing is called any more.
    var isClosed: Bool { self.state.withLock { $0.isClosed } }

    /// - Throws: `.notOwner` when `peer` is not what the store named last, or has been taken for dead and has no association,
    ///   `.unavailable` once this node has been told to stop.
    func association(with peer: Peer) throws(ClusterError) -> Association {
        try self.state.withLock { state throws(ClusterError) in
            guard !state.isClosed else { throw ClusterError(.unavailable, "this node is shutting down") }
            guard state.peers[peer.node] == peer else {
                throw ClusterError(.notOwner, "node \(peer.node.rawValue) is another run by now")
            }
            if let association = state.associations[peer.node] { return association }
            guard state.living?.contains(peer.run) ?? true else {
                throw ClusterError(.notOwner, "node \(peer.node.rawValue) has been taken for dead")
            }
            return self.add(peer, to: &state)
        }
    }

    private func add(_ peer: Peer, to state: inout State) -> Association {
        state.made += 1
        let association = self.make(peer, state.made)
        state.associations[peer.node] = association
        return association
    }

    /// Makes those that are missing, without waiting for a call.
    /// - Parameter peers: what is not as the store named it last is left out.
    func open(_ peers: [Peer]) {
        let isNews = self.state.withLock { state in
            guard !state.isClosed else { return false }
            let missing = peers.filter { state.peers[$0.node] == $0 && state.associations[$0.node] == nil }
            for peer in missing { _ = self.add(peer, to: &state) }
            return !missing.isEmpty
        }
        if isNews { self.wake() }
    }

    /// Ends those that have no connection, and that nobody waits for, unless they are with one of these runs; and makes none
    /// with others from now on.
    func endUnused(but living: Set<ShardRecord.Owner>) {
        let unused = self.state.withLock { state in
            state.living = living
            let unused = state.associations.values.filter { !living.contains($0.peer.run) && $0.isUnused }
            for association in unused { state.associations[association.peer.node] = nil }
            return unused
        }
        for association in unused { self.close(association) }
    }

    /// Ends those whose peer is no more what it was.
    /// - Parameter peers: as the store has just named them.
    func update(to peers: [NodeID: Peer]) {
        let gone = self.state.withLock { state in
            state.peers = peers
            let gone = state.associations.values.filter { peers[$0.peer.node] != $0.peer }
            for association in gone { state.associations[association.peer.node] = nil }
            return gone
        }
        for association in gone { self.close(association) }
    }

    /// The peer has said that it is another run: it is not called again before the store has been read again.
    func remove(_ association: Association) {
        self.state.withLock { state in
            guard state.associations[association.peer.node] === association else { return }
            state.associations[association.peer.node] = nil
            state.peers[association.peer.node] = nil
        }
        self.close(association)
    }

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
