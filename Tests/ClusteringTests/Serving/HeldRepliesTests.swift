import Clustering
import Testing

@Suite struct HeldRepliesTests {
    private let start = ContinuousClock.now
    private let patience = Duration.seconds(3_600)

    /// Its reader has seen two commands, and none of them is answered.
    private func group(after delay: Duration = .zero) -> ReplyGroup {
        let group = ReplyGroup(patience: self.patience, from: self.start + delay)
        for _ in 0..<2 { group.enter() }
        _ = group.leave()
        return group
    }

    @Test func theyLeaveWhenTheFirstIsDue() {
        // given
        var held = HeldReplies()
        #expect(held.nextDue(at: self.start) == nil)
        held.append(self.group())
        held.append(self.group(after: .seconds(1)))
        // when, then
        #expect(held.nextDue(at: self.start + .seconds(5)) == self.start + self.patience)
    }

    @Test func whatBecameDueUnseenLeavesNowAndOnce() {
        // given: a reply that came just in time not to ask for it itself
        var held = HeldReplies()
        let group = self.group()
        held.append(group)
        #expect(!group.leave())
        // when: nobody has looked before it was too late
        let late = self.start + self.patience
        // then
        #expect(held.nextDue(at: late) == late)
        #expect(held.nextDue(at: late) == nil)
    }

    @Test func whatIsCompleteIsNotWaitedFor() {
        // given
        var held = HeldReplies()
        let group = self.group()
        held.append(group)
        held.append(self.group(after: .seconds(1)))
        // when: the last one asks for it
        #expect(!group.leave())
        #expect(group.leave())
        // then
        #expect(held.nextDue(at: self.start) == self.start + .seconds(1) + self.patience)
        #expect(held.nextDue(at: self.start + self.patience) == self.start + .seconds(1) + self.patience)
    }
}
