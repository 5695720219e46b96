import SubscriptionRuntime

/// What becomes of a node's process when its run has ended with an error.
package enum RunEnd: Equatable {
    /// Somebody wants it to end anyway: exit code 0.
    case stopped
    /// The next run would find the same, or must not begin: exit code 1.
    case failed
    /// Others have taken the run for dead, which says nothing against the next one: it begins in the same process.
    case comesBack(after: Duration)

    /// Runs of one process do not begin sooner after each other than this. A node that is taken for dead again and again, on
    /// a machine that is too busy, would have the others move its shards each time. A supervisor that asks for `/livez`
    /// should have more patience.
    package static let shortestInterval = Duration.seconds(30)

    /// - Parameters:
    ///   - age: of the run.
    ///   - isStopWanted: whether a signal has come, before the run ended or since.
    package init(after error: any Error, age: Duration, isStopWanted: Bool) {
        guard let error = error as? ServiceError, error.saysRunIsDeposed else {
            self = .failed
            return
        }
        self = isStopWanted ? .stopped : .comesBack(after: max(.zero, Self.shortestInterval - age))
    }
}
