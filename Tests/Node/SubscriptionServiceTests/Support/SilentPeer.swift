import EventLog
import PerennialTestSupport

/// A store that does not hear of the end of a run, as when its process is killed.
struct SilentPeer: ForwardingSharedStore {
    let shared: any SharedEventStore

    func leave(_ run: NodeRun) {}
}
