import EventLog
import Mirroring
import Testing
import WireProtocol

/// Gaps are counted as they are noticed.
@Suite struct GapTests {
    /// Deltas of shard 0 are lost from here on: beats tell of them.
    private final class World {
        private var model = StreamModel()
        private var follower: StreamFollower
        private var now = ContinuousClock.now
        private let count: Count
        let sink = RecordingSink()

        private final class Count {
            var gaps = 0
        }

        init() {
            let count = Count()
            self.count = count
            self.follower = StreamFollower(
                self.model.origin, shardCount: StreamModel.shardCount, sink: self.sink, onGap: { count.gaps += 1 })
        }

        var gaps: Int { self.count.gaps }
        var hasAll: Bool { self.follower.hasAll && self.sink.shards.map(\.rows) == self.model.shards.map(\.rows) }

        func loseCommits(_ number: Int) {
            for key in 0..<number { _ = self.model.commit(to: 0, key: UInt8(key)) }
        }

        func beat() {
            for source in StreamModel.sources {
                self.follower.hear(self.model.beat(of: source), from: source, at: self.now)
            }
        }

        /// - Returns: how many questions it has, which nobody answers.
        func loseQuestions() -> Int {
            defer { self.now += .seconds(10) }
            return self.follower.ask(at: self.now).count
        }

        /// - Returns: how many pages there were until nothing was missing.
        func answerQuestions() throws -> Int {
            var pages = 0
            while true {
                let questions = self.follower.ask(at: self.now)
                guard !questions.isEmpty else { return pages }
                for (source, request) in questions {
                    try self.follower.take(self.model.answer(request, of: source), at: self.now)
                    pages += 1
                }
            }
        }
    }

    @Test func aGapIsCountedOnceWhateverItTakesToFillIt() throws {
        // given: all shards have been copied
        let world = World()
        world.beat()
        _ = try world.answerQuestions()
        #expect(world.hasAll && world.gaps == 0)
        // when: what is missing takes three pages of five, and the first has to be asked for again and again
        world.loseCommits(12)
        world.beat()
        for _ in 0..<4 { #expect(world.loseQuestions() == 1) }
        // then
        #expect(try world.answerQuestions() == 3)
        #expect(world.hasAll)
        #expect(world.gaps == 1)
        // when: something is missing again
        world.loseCommits(1)
        world.beat()
        // then
        #expect(try world.answerQuestions() == 1)
        #expect(world.hasAll)
        #expect(world.gaps == 2)
    }

    @Test func whatIsLostBeyondAGapIsAnotherOne() throws {
        // given: a gap whose first page has been lost
        let world = World()
        world.beat()
        _ = try world.answerQuestions()
        world.loseCommits(3)
        world.beat()
        _ = world.loseQuestions()
        // when: more than that is lost meanwhile than comes with the first page
        world.loseCommits(7)
        world.beat()
        // then
        #expect(try world.answerQuestions() == 2)
        #expect(world.hasAll)
        #expect(world.gaps == 2)
    }
}
