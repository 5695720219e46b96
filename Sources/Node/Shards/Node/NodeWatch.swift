import EventLog
import Logging
import ServiceContract
import Synchronization
import Waiting

/// Looks once a second at what goes wrong while nobody asks: the clock jumps, or the store's files are taken away or damaged. It has a
/// thread of its own, so that no load keeps it from looking.
final class NodeWatch: Sendable {
    private static let interval = Duration.seconds(1)

    private let store: any EventStore
    private let clock: ClockWatch
    private let committer: GroupCommitter
    private let logger: Logger
    private let signal = BlockingEvent()
    /// Why what is stored would be lost; nil when it would not.
    private let loss = Mutex<StoreError?>(nil)
    /// What endangers what is stored, while all goes on.
    private let danger = Mutex<String?>(nil)

    init(store: any EventStore, clock: ClockWatch, committer: GroupCommitter, logger: Logger) {
        self.store = store
        self.clock = clock
        self.committer = committer
        self.logger = logger
    }

    /// Until `stop()`.
    func run() async {
        await DedicatedThread.run(named: "watch") {
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
        self.committer.reportEndOfTrouble()
    }

    private func lookAtFiles() {
        do throws(StoreError) {
            self.report(danger: try self.store.checkFiles())
            self.report(loss: nil)
        } catch {
            self.report(loss: error)
        }
    }

    /// Logs before readiness shows it. Only the thread of `run()` comes here.
    private func report(loss found: StoreError?) {
        let known = self.loss.withLock(\.self)
        defer { self.loss.withLock { $0 = found } }
        if let found, found.code != known?.code {
            self.logger.critical(
                found.code == .corrupt
                    ? "The store's file is damaged: stop the node, and restore a backup"
                    : "The store's file is not where it was: the node stores and reads nothing until it is back",
                metadata: .runtime([.error: "\(found.message)"]))
        } else if found == nil, known != nil {
            self.logger.notice("The store's file is where it was: the node goes on")
        }
    }

    private func report(danger found: String?) {
        let known = self.danger.withLock(\.self)
        defer { self.danger.withLock { $0 = found } }
        if let found, known == nil {
            self.logger.warning("The store's file is in danger", metadata: .runtime([.error: "\(found)"]))
        }
    }

    // MARK: Readiness

    /// Sentences for people; none when the node can do this.
    func obstacles(to purpose: Readiness.Purpose) -> [String] {
        (self.loss.withLock(\.self).map { [$0.message] } ?? []) + self.clock.obstacles(to: purpose)
    }
}
