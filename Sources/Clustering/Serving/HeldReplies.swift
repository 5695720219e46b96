import DequeModule

/// The groups whose replies may be held, as they came.
package struct HeldReplies {
    private var groups: Deque<ReplyGroup> = []

    package init() {}

    package mutating func append(_ group: ReplyGroup) { self.groups.append(group) }

    /// When replies that are held have to leave at the latest; nil where none are. What became due since somebody looked leaves
    /// now: its replies may have come after the last ones left, and before they were late enough to ask for it themselves.
    package mutating func nextDue(at now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        var isLate = false
        while let group = self.groups.first, group.isComplete || group.due <= now {
            // Whoever completes a group asks for it to leave.
            if !group.isComplete { isLate = true }
            self.groups.removeFirst()
        }
        return isLate ? now : self.groups.first?.due
    }
}
