import EventLog
import ServiceContract
import SubscriptionService

/// What becomes of a node's process when its run has ended with an error.
package enum RunEnd: Equatable {
    /// Somebody wants it to end anyway: exit code 0.
    case stopped
    /// The next run would find the same, or must not begin: exit code 1.
    case failed
    /// Others have taken the run for dead, which says nothing against the next one: it begins in the same process.
    case comesBack(after: Duration)
    /// The database could not be reached when the run began. The next run tries again, in the same process: a node waits for
    /// its database, as it does while it runs.
    case waits(Duration)

    /// Runs of one process do not begin sooner after each other than this. A node that is taken for dead again and again, on
    /// a machine that is too busy, would have the others move its shards each time. A supervisor that asks for `/livez`
    /// should have more patience.
    package static let shortestInterval = Duration.seconds(30)
    /// Between attempts to reach the database.
    package static let retryInterval = Duration.seconds(1)

    /// - Parameters:
    ///   - beginning: of the run. Whoever starts a node by hand hears at once that its database cannot be reached, since the
    ///     configuration may be wrong; a database that was reached before is waited for.
    ///   - age: of the run.
    ///   - isStopWanted: whether a signal has come, before the run ended or since.
    package init(
        after error: any Error, _ beginning: RunBeginning = .fresh, age: Duration, isStopWanted: Bool
    ) {
        switch error {
        case let error as StoreError where error.code == .unavailable && beginning != .fresh:
            self = isStopWanted ? .stopped : .waits(Self.retryInterval)
        case let error as ServiceError where error.saysRunIsDeposed:
            self = isStopWanted ? .stopped : .comesBack(after: max(.zero, Self.shortestInterval - age))
        case let error as ServiceError where error.saysStoreIsAway && !isStopWanted:
            self = .waits(Self.retryInterval)
        default:
            self = .failed
        }
    }
}
