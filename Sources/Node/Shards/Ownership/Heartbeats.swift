import EventLog
import Foundation
import Logging
import Ownership
import Subscriptions
import Waiting

/// Signs of life of a run in the store, on a thread of their own: overload must not look like death.
final class Heartbeats: Sendable {
    private let store: any SharedEventStore
    private let terms: LeaseTerms
    private let lease: NodeLease
    private let watch: ClockWatch
    private let metrics: RuntimeMetrics
    private let logger: Logger
    private let signal = BlockingEvent()

    init(
        store: any SharedEventStore, terms: LeaseTerms, lease: NodeLease, watch: ClockWatch, metrics: RuntimeMetrics,
        logger: Logger
    ) {
        self.store = store
        self.terms = terms
        self.lease = lease
        self.watch = watch
        self.metrics = metrics
        self.logger = logger
    }

    /// Begins a run, and returns after its first sign of life: before it owns anything it knows whether its clock is right.
    /// Blocks.
    func register(_ node: NodeRecord) throws(StoreError) -> NodeRun {
        let sent = self.lease.now
        let run = try self.store.begin(node, lease: self.terms.length)
        self.lease.renew(sentAt: sent)
        var trouble = self.makeTrouble()
        while try !self.beat(as: run, &trouble), !self.signal.isStopping {
            self.signal.wait(atMost: self.terms.beatInterval)
        }
        return run
    }

    /// Beats until `stop()`; then says that the run is over. Blocks.
    /// - Throws: when the run cannot go on: it was taken for dead (`.deposed`), or another process has begun as this node
    ///   (`.fenced`).
    func beat(as run: NodeRun) throws(StoreError) {
        var trouble = self.makeTrouble()
        while !self.signal.isStopping {
            self.signal.wait(atMost: self.terms.beatInterval)
            _ = try self.beat(as: run, &trouble)
            self.metrics.setLease(self.lease.remaining)
        }
        // From then on others need not wait for this run to answer nothing any more.
        self.lease.lose()
        // A store that is away learns it from the silence.
        try? self.store.leave(run)
    }

    func stop() { self.signal.stop() }

    private func makeTrouble() -> StoreTrouble {
        StoreTrouble(self.logger, "The store does not take signs of life", "The store takes signs of life again")
    }

    /// - Returns: false when the store cannot take it now.
    private func beat(as run: NodeRun, _ trouble: inout StoreTrouble) throws(StoreError) -> Bool {
        let sent = self.lease.now
        let asked = self.watch.reading
        do throws(StoreError) {
            guard let acknowledgement = try self.store.beat(run) else { throw self.end(of: run) }
            self.lease.renew(sentAt: sent)
            if let time = acknowledgement.time { self.watch.heed(Moment(milliseconds: time), askedAt: asked) }
            trouble.end()
            return true
        } catch {
            guard [.unavailable, .full].contains(error.code) else { throw error }
            trouble.record(error)
            return false
        }
    }

    /// Why there is no row to beat in. Two processes that call themselves the same must not take turns for ever: the one
    /// that began first ends.
    private func end(of run: NodeRun) -> StoreError {
        // Nothing is answered while this is found out.
        self.lease.lose()
        let row = try? self.store.view().nodes.first { $0.id == run.owner.node }
        guard let row, row.owner != run.owner else {
            return StoreError(.deposed, "other nodes have taken this one for dead")
        }
        return StoreError(.fenced, "another process has begun as node \(run.owner.node.rawValue)")
    }
}
