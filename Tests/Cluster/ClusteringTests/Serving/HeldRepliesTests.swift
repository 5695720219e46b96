import Clustering
import Testing

@Suite struct HeldRepliesTests {
    private static let interval = Duration.seconds(3_600)
    private let start = ContinuousClock.now

    /// Its reader has seen two commands, and none of them is answered.
    private func group() -> ReplyGroup {
        let group = ReplyGroup()
        for _ in 0..<2 { group.enter() }
        #expect(!group.leave())
        return group
    }

    @Test func nothingIsDueWhereNothingIsHeld() {
        var held = HeldReplies(interval: Self.interval)
        #expect(held.nextDue(at: self.start) == nil)
    }

    @Test func theFirstDecidesWhenTheyLeave() {
        // given
        var held = HeldReplies(interval: Self.interval)
        held.append(self.group(), at: self.start)
        held.append(self.group(), at: self.start + .seconds(1))
        // when, then
        #expect(held.nextDue(at: self.start + .seconds(5)) == self.start + Self.interval)
    }

    @Test func whatIsLateLeavesOnceInEachInterval() {
        // given
        var held = HeldReplies(interval: Self.interval)
        let group = self.group()
        held.append(group, at: self.start)
        // when: a reply is there, and another is not
        #expect(!group.leave())
        let late = self.start + Self.interval + .seconds(1)
        // then
        #expect(held.nextDue(at: late) == late)
        #expect(held.nextDue(at: late) == late + Self.interval)
        // and what comes meanwhile leaves with it
        held.append(self.group(), at: late + .seconds(1))
        #expect(held.nextDue(at: late + .seconds(2)) == late + Self.interval)
    }

    @Test func whatIsCompleteIsNotWaitedFor() {
        // given
        var held = HeldReplies(interval: Self.interval)
        let groups = [self.group(), self.group()]
        for group in groups { held.append(group, at: self.start) }
        // when: the last one asks for it
        for group in groups {
            #expect(!group.leave())
            #expect(group.leave())
        }
        // then
        #expect(held.nextDue(at: self.start) == nil)
        // and the next interval begins with what comes next
        held.append(self.group(), at: self.start + .seconds(9))
        #expect(held.nextDue(at: self.start + .seconds(9)) == self.start + .seconds(9) + Self.interval)
    }
}
