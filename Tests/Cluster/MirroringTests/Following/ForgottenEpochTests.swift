import EventLog
import Mirroring
import Testing
import WireProtocol

/// A store loses events together with the epoch that they were written under, and another node gets that epoch.
@Suite struct ForgottenEpochTests {
    private final class World {
        private var model = StreamModel()
        private var follower: StreamFollower
        private let now = ContinuousClock.now
        let sink = RecordingSink()

        init() {
            self.follower = StreamFollower(
                self.model.origin, shardCount: StreamModel.shardCount, sink: self.sink, onGap: {})
        }

        var isRight: Bool {
            self.sink.shards.map(\.rows) == self.model.shards.map(\.rows) && self.sink.complaints.isEmpty
        }

        func takeOver() { self.model.takeOver(0, by: StreamModel.sources[1], rules: 1) }

        func forget(_ count: Int) { self.model.forget(count, of: 0, thenOwnedBy: StreamModel.sources[2]) }

        /// - Parameter isHeard: else the deltas are lost.
        func commit(_ keys: Range<UInt8>, isHeard: Bool) throws {
            for key in keys {
                let delta = self.model.commit(to: 0, key: key)
                guard isHeard else { continue }
                try self.follower.hear(
                    delta, of: ShardID(rawValue: 0), from: self.model.shards[0].owner, at: self.now)
            }
        }

        /// Those after the first so many come once more.
        func repeatCommits(after count: Int) throws {
            for number in (count + 1)...self.model.shards[0].log.count {
                try self.follower.hear(
                    self.model.delta(0, number), of: ShardID(rawValue: 0), from: self.model.shards[0].owner,
                    at: self.now)
            }
        }

        func beat() {
            for source in StreamModel.sources {
                self.follower.hear(self.model.beat(of: source), from: source, at: self.now)
            }
        }

        func answerQuestions() throws {
            while true {
                let questions = self.follower.ask(at: self.now)
                guard !questions.isEmpty else { return }
                for (source, request) in questions {
                    try self.follower.take(self.model.answer(request, of: source), at: self.now)
                }
            }
        }
    }

    /// Of ten events all are copied, and two come by a later owner.
    private func following() throws -> World {
        let world = World()
        try world.commit(0..<10, isHeard: false)
        world.takeOver()
        world.beat()
        try world.answerQuestions()
        try world.commit(0..<2, isHeard: true)
        world.beat()
        try world.answerQuestions()
        #expect(world.isRight)
        return world
    }

    @Test func othersInTheirPlaceAreNoRepetitions() throws {
        // given
        let world = try self.following()
        // when: one other event comes, and the log is still shorter than it was
        world.forget(2)
        world.beat()
        try world.commit(5..<6, isHeard: true)
        world.beat()
        try world.answerQuestions()
        // then
        #expect(world.isRight)
        #expect(world.sink.shards[0].restarts == 1)
    }

    @Test func aLogThatIsAsLongIsNoticedByItsEnd() throws {
        // given
        let world = try self.following()
        // when: nothing is heard but where the log ends
        world.forget(2)
        try world.commit(5..<7, isHeard: false)
        world.beat()
        try world.answerQuestions()
        // then
        #expect(world.isRight)
        #expect(world.sink.shards[0].restarts == 1)
    }

    @Test func whatIsLateIsNoLoss() throws {
        // given
        let world = try self.following()
        // when: what has been heard of this epoch comes once more
        try world.repeatCommits(after: 10)
        try world.answerQuestions()
        // then
        #expect(world.isRight)
        #expect(world.sink.shards[0].restarts == 0)
    }
}
