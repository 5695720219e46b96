import EventLog
import Mirroring
import PerennialTestSupport
import Testing
import WireProtocol

/// Following a stream that loses, repeats and delays, while shards change hands and stores lose what they had.
@Suite struct StreamFollowerTests {
    /// A network with its follower, step by step: a millisecond each.
    private struct World {
        var model = StreamModel()
        let sink = RecordingSink()
        var follower: StreamFollower
        var random: SeededGenerator
        /// Of a hundred messages so many are lost.
        var loss = 0
        var now = ContinuousClock.now
        private var published: [SourceID: [(shard: Int?, delta: StreamDelta?, beat: StreamBeat?)]] = [:]
        private var asked: [(source: SourceID, request: StreamRequest)] = []
        private var answers: [StreamAnswer] = []
        /// What was true when a probe was sent.
        private var truths: [ContinuousClock.Instant: (rewinds: Int, rows: [[UInt8: Int64]])] = [:]
        private(set) var falseClaims = 0
        private(set) var checkedClaims = 0

        init(seed: UInt64) {
            self.random = SeededGenerator(seed: seed)
            self.follower = StreamFollower(
                self.model.origin, shardCount: StreamModel.shardCount, sink: self.sink, onGap: {})
        }

        private mutating func isLost() -> Bool { Int.random(in: 0..<100, using: &self.random) < self.loss }

        mutating func commit() {
            let shard = Int.random(in: 0..<StreamModel.shardCount, using: &self.random)
            let delta = self.model.commit(to: shard, key: .random(in: 0...255, using: &self.random))
            let source = self.model.shards[shard].owner
            let copies = self.isLost() ? 0 : Int.random(in: 0..<10, using: &self.random) == 0 ? 2 : 1
            for _ in 0..<copies { self.published[source, default: []].append((shard, delta, nil)) }
        }

        mutating func beat() {
            for source in StreamModel.sources where !self.isLost() {
                self.published[source, default: []].append((nil, nil, self.model.beat(of: source)))
            }
        }

        mutating func probe() {
            self.truths[self.now] = (self.model.rewinds, self.model.shards.map(\.rows))
            for source in StreamModel.sources {
                self.asked.append((source, self.follower.probe(source, at: self.now)))
            }
        }

        /// - Parameter share: how much of what is under way arrives, of a hundred.
        mutating func step(_ share: Int) throws {
            self.now += .milliseconds(1)
            for source in StreamModel.sources {
                while let first = self.published[source]?.first, Int.random(in: 0..<100, using: &self.random) < share {
                    self.published[source]?.removeFirst()
                    if let delta = first.delta, let shard = first.shard {
                        let shard = ShardID(rawValue: UInt16(shard))
                        try self.follower.hear(delta, of: shard, from: source, at: self.now)
                    } else if let beat = first.beat {
                        self.follower.hear(beat, from: source, at: self.now)
                    }
                }
            }
            self.asked += self.follower.ask(at: self.now)
            while !self.asked.isEmpty, Int.random(in: 0..<100, using: &self.random) < share {
                let (source, request) = self.asked.removeFirst()
                guard !self.isLost() else { continue }
                let isBusy = self.loss > 0 && Int.random(in: 0..<10, using: &self.random) == 0
                self.answers.append(
                    isBusy
                        ? StreamAnswer(id: request.id, .failure(StreamFailure(.busy, retryAfter: 20)))
                        : self.model.answer(request, of: source))
            }
            while !self.answers.isEmpty, Int.random(in: 0..<100, using: &self.random) < share {
                let place = Int.random(in: self.answers.indices, using: &self.random)
                try self.follower.take(self.answers.remove(at: place), at: self.now)
            }
            self.checkClaims()
        }

        /// Whoever is said to be current as of a moment has all that was true then.
        private mutating func checkClaims() {
            for (number, shard) in self.sink.shards.enumerated() {
                guard let moment = shard.current, let truth = self.truths[moment],
                    truth.rewinds == self.model.rewinds
                else { continue }
                self.checkedClaims += 1
                for (key, version) in truth.rows[number] where (shard.rows[key] ?? 0) < version {
                    self.falseClaims += 1
                }
            }
        }

        /// Nothing is lost any more, and all that is under way arrives.
        mutating func calmDown() throws {
            self.loss = 0
            for round in 0..<12_000 {
                if round.isMultiple(of: 500) {
                    self.beat()
                    self.probe()
                }
                try self.step(100)
            }
        }

        var isRight: Bool {
            zip(self.sink.shards, self.model.shards).allSatisfy { mirrored, shard in
                mirrored.rows == shard.rows && mirrored.doubted.isEmpty
                    && mirrored.rules.values.allSatisfy { $0 == shard.rules }
                    && mirrored.position == shard.position(shard.log.count)
                    && mirrored.current.map { self.now - $0 <= .milliseconds(1_000) } ?? false
            }
        }
    }

    @Test(arguments: 1...40) func endsWithTheOwnersStateWhateverWasLost(seed: UInt64) throws {
        var world = World(seed: seed)
        for round in 1...4_000 {
            world.loss =
                round.isMultiple(of: 1_000) ? [0, 10, 30, 60].randomElement(using: &world.random) ?? 0 : world.loss
            if Int.random(in: 0..<3, using: &world.random) == 0 { world.commit() }
            if round.isMultiple(of: 50) { world.beat() }
            if round.isMultiple(of: 70) { world.probe() }
            let shard = Int.random(in: 0..<StreamModel.shardCount, using: &world.random)
            let source = StreamModel.sources[Int.random(in: 0..<3, using: &world.random)]
            let rules = UInt32.random(in: 1...2, using: &world.random)
            switch Int.random(in: 0..<2_000, using: &world.random) {
            case 0...3: world.model.takeOver(shard, by: source, rules: rules)
            case 4 where seed.isMultiple(of: 2):
                world.model.lose(
                    .random(in: 0...6, using: &world.random), of: shard, thenOwnedBy: source, rules: rules)
            case 5 where seed.isMultiple(of: 4): world.model.restore(to: .random(in: 0...200, using: &world.random))
            default: break
            }
            try world.step(70)
        }
        try world.calmDown()
        #expect(world.isRight)
        #expect(world.sink.complaints == [])
        #expect(world.checkedClaims > 0)
        #expect(world.falseClaims == 0)
    }

    @Test func asksForNothingWhileNothingIsLost() throws {
        var world = World(seed: 7)
        world.beat()
        try world.step(100)
        try world.calmDown()
        // given: all shards have been copied
        #expect(world.follower.hasAll)
        // when
        for _ in 0..<200 {
            world.commit()
            try world.step(100)
        }
        world.beat()
        try world.step(100)
        // then
        #expect(world.follower.ask(at: world.now + .seconds(60)).isEmpty)
        #expect(world.sink.shards.map(\.rows) == world.model.shards.map(\.rows))
    }

    @Test func whatAnOwnerWithOtherRulesOwnsIsRenewedOnce() throws {
        var world = World(seed: 7)
        for _ in 0..<200 { world.commit() }
        try world.calmDown()
        // when: all goes on under other rules, and somebody else's events are missing
        for shard in 0..<StreamModel.shardCount {
            world.model.takeOver(shard, by: StreamModel.sources[shard], rules: 2)
        }
        world.loss = 100
        for _ in 0..<20 { world.commit() }
        for shard in 0..<StreamModel.shardCount {
            world.model.takeOver(shard, by: StreamModel.sources[shard], rules: 3)
        }
        try world.calmDown()
        // then
        #expect(world.isRight)
        #expect(world.sink.complaints == [])
        #expect(world.sink.shards.allSatisfy { $0.restarts == 0 })
        #expect(world.follower.ask(at: world.now + .seconds(60)).isEmpty)
    }

    @Test func nobodyIsCurrentBeforeAllIsRenewed() throws {
        var world = World(seed: 7)
        for _ in 0..<200 { world.commit() }
        try world.calmDown()
        let before = try #require(world.sink.shards[0].current)
        #expect(before < world.now)
        // given
        world.model.takeOver(0, by: StreamModel.sources[0], rules: 2)
        world.beat()
        world.probe()
        #expect(world.sink.shards[0].rules.values.contains(1))
        for _ in 0..<20 where world.sink.shards[0].rules.values.contains(1) {
            // then
            #expect(world.sink.shards[0].current == before)
            // when
            try world.step(100)
        }
        #expect(world.sink.shards[0].rules.values.allSatisfy { $0 == 2 })
        world.probe()
        try world.step(100)
        #expect(try #require(world.sink.shards[0].current) > before)
    }

    @Test func anotherStoreIsNoneOfItsBusiness() throws {
        var world = World(seed: 7)
        world.beat()
        try world.calmDown()
        let rows = world.sink.shards.map(\.rows)
        var beat = world.model.beat(of: StreamModel.sources[0])
        beat.origin.storeID += 1
        beat.heads[0].epoch = Epoch(rawValue: 99)
        beat.heads[0].position = StreamPosition(sequence: LogSequence(rawValue: 1_000), tag: 5)
        // when
        world.follower.hear(beat, from: StreamModel.sources[0], at: world.now)
        // then
        #expect(world.follower.ask(at: world.now + .seconds(60)).isEmpty)
        #expect(world.sink.shards.map(\.rows) == rows)
    }
}
