/// A node's own monotonic clock, by which leases and waits are counted.
package struct NodeClock: Sendable {
    private let start = ContinuousClock.now

    package init() {}

    /// Since this was made.
    package var now: Duration { ContinuousClock.now - self.start }
}
