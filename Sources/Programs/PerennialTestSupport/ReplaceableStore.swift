package import EventLog
import Synchronization

/// A store in whose place another one can be put while nodes use it, as when a database comes back from an older copy: it
/// is the same store, and has another log.
package final class ReplaceableStore: ForwardingStore {
    package let identity: StoreIdentity
    private let state: Mutex<any EventStore>

    package init(_ store: any EventStore) {
        self.identity = store.identity
        self.state = Mutex(store)
    }

    package var inner: any EventStore { self.state.withLock(\.self) }

    package func replace(by store: any EventStore) { self.state.withLock { $0 = store } }
}
