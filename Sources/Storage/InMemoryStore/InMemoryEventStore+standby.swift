import Synchronization

extension InMemoryEventStore {
    /// What a replica has that gets nothing more: all that was committed until then.
    package struct Standby: Sendable {
        fileprivate let state: State
    }

    package var standby: Standby { Standby(state: self.state.withLock(\.self)) }

    /// As when a database fails and a replica takes over that lacks its last commits: the store has forgotten them.
    package func failOver(to standby: Standby) { self.state.withLock { $0 = standby.state } }
}
