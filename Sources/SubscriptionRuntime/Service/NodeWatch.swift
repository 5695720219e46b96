import EventSourcing
import Logging
import Synchronization

/// Looks once a second at what goes wrong while nobody asks: the clock jumps, or the store's files are taken away. It has a
/// thread of its own, so that no load keeps it from looking.
final class NodeWatch: Sendable {
    private static let interval = Duration.seconds(1)

    private let store: any EventStore
    private let clock: ClockWatch
    private let journal: Journal
    private let logger: Logger
    private let signal = ThreadSignal()
    /// Why what is stored would be lost; nil when it would not.
    private let loss = Mutex<StoreError?>(nil)

    init(store: any EventStore, clock: ClockWatch, journal: Journal, logger: Logger) {
        self.store = store
        self.clock = clock
        self.journal = journal
        self.logger = logger
    }

    /// Until `stop()`.
    func run() async {
        _ = await OwnThread.run("watch") { () throws(StoreError) in
            while !self.signal.isStopping {
                self.look()
                self.signal.wait(atMost: Self.interval)
            }
        }
    }

    func stop() { self.signal.stop() }

    private func look() {
        // Raises its alarm.
        _ = self.clock.isTrusted
        self.lookAtFiles()
        self.journal.reportEndOfTrouble()
    }

    private func lookAtFiles() {
        var found: StoreError?
        do throws(StoreError) {
            try self.store.checkFiles()
        } catch {
            found = error
        }
        let known = self.loss.withLock { loss in
            defer { loss = found }
            return loss
        }
        if let found, known == nil {
            self.logger.critical(
                "The store's file is not where it was: the node stores and reads nothing until it is back",
                metadata: .runtime([.error: "\(found.message)"]))
        } else if found == nil, known != nil {
            self.logger.notice("The store's file is where it was: the node goes on")
        }
    }

    // MARK: Readiness

    /// Sentences for people; none when the node can do this.
    func obstacles(to purpose: Readiness.Purpose) -> [String] {
        (self.loss.withLock(\.self).map { [$0.message] } ?? []) + self.clock.obstacles(to: purpose)
    }
}
