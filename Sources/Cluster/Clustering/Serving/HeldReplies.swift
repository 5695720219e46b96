import DequeModule

/// The messages whose replies wait for each other. Those of one leave together once there are all; what is there of the
/// others leaves together, too, at intervals: each on its own would wake two threads at either end.
package struct HeldReplies {
    private let interval: Duration
    private var groups: Deque<ReplyGroup> = []
    /// When what is there leaves; nil where nothing is held.
    private var due: ContinuousClock.Instant?

    /// - Parameter interval: so long a reply is held at most.
    package init(interval: Duration) { self.interval = interval }

    package mutating func append(_ group: ReplyGroup, at now: ContinuousClock.Instant) {
        self.groups.append(group)
        self.due = self.due ?? now + self.interval
    }

    /// When replies that are held have to leave at the latest: `now` once in each interval.
    package mutating func nextDue(at now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        // Whoever completes a group asks for it to leave.
        while let group = self.groups.first, group.isComplete { self.groups.removeFirst() }
        guard !self.groups.isEmpty, let due = self.due else {
            self.due = nil
            return nil
        }
        guard due <= now else { return due }
        self.groups.removeAll(where: \.isComplete)
        self.due = now + self.interval
        return now
    }
}
