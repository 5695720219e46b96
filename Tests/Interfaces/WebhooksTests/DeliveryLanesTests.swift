import EventLog
import PerennialTestSupport
import Testing
import Webhooks

/// Many shards of one endpoint: whose turn it is to deliver, and to be saved.
@Suite struct DeliveryLanesTests {
    private var lanes = DeliveryLanes()

    private func shard(_ number: Int) -> ShardID { ShardID(rawValue: UInt16(number)) }

    private func lane(_ number: Int) -> DeliveryLane { DeliveryLane(self.shard(number)) }

    private func epoch(_ number: Int64) -> Epoch { Epoch(rawValue: number) }

    /// Takes up shards, each with events of streams of its own behind its window.
    private mutating func takeUp(_ shards: Range<Int>, events: Int = 0) {
        for number in shards {
            self.lanes.takeUp(self.shard(number), self.epoch(1), DeliveryWindow(after: .zero))
            guard events > 0 else { continue }
            self.read(1...events, self.lane(number))
        }
    }

    private mutating func read(_ sequences: ClosedRange<Int>, _ lane: DeliveryLane) {
        let events = sequences.map { sequence in
            StoredEvent(
                shard: lane.shard, sequence: LogSequence(rawValue: Int64(sequence)), epoch: self.epoch(1),
                key: [UInt8(sequence)], version: StreamVersion(rawValue: 1), kind: "renewed", dedupKey: [],
                at: Int64(sequence), body: [], entitlement: [])
        }
        self.lanes.read(events, lane) { _ in true }
    }

    private mutating func departures(_ count: Int) -> [DeliveryLanes.Ticket] {
        var found: [DeliveryLanes.Ticket] = []
        while found.count < count, let ticket = self.lanes.next(at: 0) { found.append(ticket) }
        return found
    }

    @Test mutating func aBusyShardKeepsNobodyOut() {
        self.takeUp(0..<1, events: 100)
        self.takeUp(1..<4, events: 2)

        let shards = self.departures(8).map(\.lane.shard.rawValue)

        #expect(Set(shards[..<4]) == [0, 1, 2, 3])
        #expect(Set(shards[4...]) == [0, 1, 2, 3])
    }

    @Test mutating func whoHasWaitedLongestIsSavedFirst() {
        // given: more shards that have changed than are saved at a time
        self.takeUp(0..<100, events: 3)
        let first = self.lanes.unsaved(limit: 64)
        #expect(first.map(\.id) == (0..<64).map(self.lane))

        // when those change again while they are saved
        for ticket in self.departures(100) { self.lanes.change(ticket) { $0.deliver(ticket.sequence) } }
        for (id, window) in first { self.lanes.markSaved(id, window) }

        // then the others are next, and these behind them, with what has changed since
        let second = self.lanes.unsaved(limit: 64)
        #expect(second.map(\.id) == (Array(64..<100) + Array(0..<28)).map(self.lane))
        #expect(second.allSatisfy { $0.window.base == 1 })
        for (id, window) in second { self.lanes.markSaved(id, window) }
        let third = self.lanes.unsaved(limit: 64)
        #expect(third.map(\.id) == (28..<64).map(self.lane))
        for (id, window) in third { self.lanes.markSaved(id, window) }
        #expect(self.lanes.unsaved(limit: 64).isEmpty)
    }

    @Test mutating func whatIsForgottenIsSaved() {
        // given: two shards that have been saved, one of them after a failure
        self.takeUp(0..<2, events: 1)
        for ticket in self.departures(2) where ticket.lane == self.lane(0) {
            self.lanes.change(ticket) {
                _ = $0.fail(ticket.sequence, DeliveryFailure("status 500", isAbsence: false), at: 0, jitter: 0)
            }
        }
        for (id, window) in self.lanes.unsaved(limit: 64) { self.lanes.markSaved(id, window) }

        self.lanes.startAfresh()

        let unsaved = self.lanes.unsaved(limit: 64)
        #expect(unsaved.map(\.id) == [self.lane(0)])
        #expect(unsaved.first?.window.bytes == DeliveryWindow(after: .zero).bytes)
        #expect(self.departures(2).map(\.lane) == [self.lane(0)])
    }

    @Test mutating func whatAFormerOwnerSentDoesNotCount() {
        self.takeUp(0..<1, events: 2)
        let ticket = self.departures(1)[0]

        self.lanes.drop(self.shard(0))
        self.lanes.takeUp(self.shard(0), self.epoch(2), DeliveryWindow(after: .zero))
        self.read(1...2, self.lane(0))

        let counts: Void? = self.lanes.change(ticket) { $0.deliver(ticket.sequence) }
        #expect(counts == nil)
        #expect(self.lanes.window(self.lane(0))?.base == 0)
    }

    @Test mutating func aReplayIsOverOnceItsEndIsSaved() {
        self.takeUp(0..<1)
        let replay = DeliveryLane(self.shard(0), replay: "a")
        self.lanes.add(replay, DeliveryWindow(after: .zero, upTo: LogSequence(rawValue: 1)))
        self.read(1...1, replay)
        let ticket = self.departures(1)[0]
        #expect(ticket.lane == replay)
        self.lanes.change(ticket) { $0.deliver(ticket.sequence) }
        #expect(self.lanes.window(replay)?.isFinished == true)

        for (id, window) in self.lanes.unsaved(limit: 64) { self.lanes.markSaved(id, window) }

        #expect(self.lanes.window(replay) == nil)
        #expect(self.lanes.window(self.lane(0)) != nil)
    }
}
