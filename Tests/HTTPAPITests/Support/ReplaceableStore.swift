import EventSourcing
import PerennialTestSupport
import Synchronization

/// A store in whose place another one can be put while nodes use it, as when a database comes back from an older copy: it
/// is the same store, and has another log.
final class ReplaceableStore: ForwardingStore {
    let identity: StoreIdentity
    private let state: Mutex<any EventStore>

    init(_ store: any EventStore) {
        self.identity = store.identity
        self.state = Mutex(store)
    }

    var inner: any EventStore { self.state.withLock(\.self) }

    func replace(by store: any EventStore) { self.state.withLock { $0 = store } }
}
