/// A node's own monotonic clock, by which leases and waits are counted.
struct NodeClock: Sendable {
    private let start = ContinuousClock.now

    /// Since this was made.
    var now: Duration { ContinuousClock.now - self.start }
}
