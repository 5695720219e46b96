import EventLog
import PerennialTestSupport
import Testing
import Webhooks

/// What has been delivered of one shard, and what is to go out next.
@Suite struct DeliveryWindowTests {
    private static func event(_ sequence: Int, of stream: Int) -> StoredEvent {
        StoredEvent(
            shard: ShardID(rawValue: 3), sequence: LogSequence(rawValue: Int64(sequence)), epoch: Epoch(rawValue: 1),
            key: [UInt8(stream)], version: StreamVersion(rawValue: 1), kind: "renewed", dedupKey: [],
            at: Int64(sequence), body: [], entitlement: [])
    }

    private func window(_ streams: [Int], unwanted: Set<Int> = []) -> DeliveryWindow {
        var window = DeliveryWindow(after: .zero)
        for (index, stream) in streams.enumerated() {
            window.add(Self.event(index + 1, of: stream), isWanted: !unwanted.contains(index + 1))
        }
        return window
    }

    private static let refusal = DeliveryFailure("status 500", isAbsence: false)

    private func sequence(_ number: Int) -> LogSequence { LogSequence(rawValue: Int64(number)) }

    /// All that can go out now.
    private func departures(_ window: inout DeliveryWindow, at now: Int64 = 0) -> [Int64] {
        var found: [Int64] = []
        while let sequence = window.next(at: now) { found.append(sequence.rawValue) }
        return found
    }

    @Test func eventsOfOneStreamGoOutOneAfterTheOther() {
        var window = self.window([1, 1, 2, 1, 2])

        #expect(self.departures(&window) == [1, 3])
        window.deliver(self.sequence(3))
        #expect(self.departures(&window) == [5])
        window.deliver(self.sequence(1))
        #expect(self.departures(&window) == [2])
        #expect(window.base == 1)
        window.deliver(self.sequence(2))
        #expect(window.base == 3)
    }

    @Test func whatFailsHoldsItsOwnStreamAlone() {
        var window = self.window([1, 2, 1, 2])
        #expect(self.departures(&window) == [1, 2])

        #expect(window.fail(self.sequence(1), Self.refusal, at: 100, jitter: 0) == nil)
        window.deliver(self.sequence(2))

        #expect(self.departures(&window, at: 104) == [4])
        #expect(self.departures(&window, at: 105) == [1])
        window.deliver(self.sequence(4))
        #expect(window.base == 0)
        window.deliver(self.sequence(1))
        #expect(self.departures(&window, at: 105) == [3])
    }

    @Test func whatIsGivenUpOnLetsOthersPass() {
        var window = self.window([1, 1])
        var (now, lost): (Int64, Trial?) = (0, nil)
        var attempts = 0
        while lost == nil {
            guard let sequence = window.next(at: now) else {
                now += 1
                continue
            }
            #expect(sequence.rawValue == 1)
            attempts += 1
            lost = window.fail(sequence, Self.refusal, at: now, jitter: 0)
        }

        #expect(attempts == 10)
        #expect(lost?.attempts == 10)
        #expect(now == RetrySchedule.length)
        #expect(self.departures(&window, at: now) == [2])
        #expect(window.base == 1)
    }

    @Test(arguments: [false, true]) func whoWasAwayLongMayRefuseAsOftenAsOthers(nodeRestarts: Bool) throws {
        // given: nobody was there for twenty attempts
        var window = self.window([1])
        let absence = DeliveryFailure("no connection", isAbsence: true)
        var now: Int64 = 0
        for _ in 0..<20 {
            #expect(self.departures(&window, at: now) == [1])
            #expect(window.fail(self.sequence(1), absence, at: now, jitter: 0) == nil)
            now += 300
        }
        if nodeRestarts {
            window = try #require(DeliveryWindow(window.bytes))
            window.add(Self.event(1, of: 1), isWanted: true)
        }
        // when: it is back, and refuses
        var refused: [Int64] = []
        var lost: Trial?
        while lost == nil {
            while window.next(at: now) == nil { now += 1 }
            refused.append(now)
            lost = window.fail(self.sequence(1), Self.refusal, at: now, jitter: 0)
        }
        // then: ten times, as the schedule has it
        #expect(zip(refused.dropFirst(), refused).map { $0 - $1 } == RetrySchedule.delays)
        #expect(lost?.refusals == 10)
        #expect(lost?.attempts == (nodeRestarts ? 10 : 30))
    }

    @Test func itReadsNoFurtherThanItsWidth() {
        var window = DeliveryWindow(after: self.sequence(1_000))
        #expect(window.room(upTo: self.sequence(1_000)) == 0)
        #expect(window.room(upTo: self.sequence(1_010)) == 10)
        #expect(window.room(upTo: self.sequence(9_999)) == DeliveryWindow.width)
        for number in 1...DeliveryWindow.width {
            window.add(Self.event(1_000 + number, of: number % 200), isWanted: true)
        }
        #expect(window.room(upTo: self.sequence(9_999)) == 0)

        // The last one does not make room; the first one does.
        window.deliver(self.sequence(1_000 + DeliveryWindow.width))
        #expect(window.room(upTo: self.sequence(9_999)) == 0)
        window.deliver(self.sequence(1_001))
        #expect(window.room(upTo: self.sequence(9_999)) == 1)
    }

    @Test func whatNobodyWantsIsPassedOver() {
        var window = self.window([1, 1, 2], unwanted: [1, 3])

        #expect(window.base == 1)
        #expect(self.departures(&window) == [2])
        window.deliver(self.sequence(2))
        #expect(window.base == 3)
        #expect(window.oldest == nil)
    }

    @Test func aReplayHasAnEnd() {
        var window = DeliveryWindow(after: self.sequence(4), upTo: self.sequence(6))
        #expect(window.room(upTo: self.sequence(100)) == 2)
        window.add(Self.event(5, of: 1), isWanted: false)
        #expect(!window.isFinished)
        window.add(Self.event(6, of: 1), isWanted: true)
        window.deliver(self.sequence(6))
        #expect(window.isFinished)
    }

    @Test func whoComesBackIsNotKeptWaiting() {
        var window = self.window([1, 2, 3])
        #expect(self.departures(&window) == [1, 2, 3])
        _ = window.fail(self.sequence(1), DeliveryFailure("no connection", isAbsence: true), at: 100, jitter: 0)
        _ = window.fail(self.sequence(2), Self.refusal, at: 100, jitter: 0)
        let wish = DeliveryFailure("status 503", isAbsence: true, retryAfter: 60)
        _ = window.fail(self.sequence(3), wish, at: 100, jitter: 0)

        window.hasten(at: 101)

        #expect(self.departures(&window, at: 101) == [1])
        #expect(self.departures(&window, at: 105) == [2])
        #expect(self.departures(&window, at: 160) == [3])
    }

    @Test func anotherAddressIsAskedAtOnceAndFromTheBeginning() throws {
        var window = self.window([1, 2, 3])
        #expect(self.departures(&window) == [1, 2, 3])
        for _ in 0..<4 { _ = window.fail(self.sequence(1), Self.refusal, at: 100, jitter: 0) }
        _ = window.fail(self.sequence(2), DeliveryFailure("no connection", isAbsence: true), at: 100, jitter: 0)

        window.startAfresh()

        // What is on its way is not sent beside itself.
        #expect(self.departures(&window, at: 101) == [1, 2])
        #expect(window.bytes == self.window([]).bytes)
        #expect(window.fail(self.sequence(1), Self.refusal, at: 101, jitter: 0) == nil)
        #expect(self.departures(&window, at: 105).isEmpty)
        #expect(self.departures(&window, at: 106) == [1])
    }

    @Test func whatIsReleasedGoesOutAgainWithoutHavingFailed() {
        var window = self.window([1])
        #expect(self.departures(&window) == [1])
        window.release(self.sequence(1))
        #expect(self.departures(&window) == [1])
    }

    /// A receiver that fails often, and a node that restarts often: each event is taken, those of a stream in order, and
    /// what was taken before a restart does not come again.
    @Test(arguments: 0..<40) func nothingIsLostOrRepeated(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let streams = (1...900).map { _ in Int.random(in: 0..<60, using: &random) }
        let unwanted = Set((1...900).filter { _ in Int.random(in: 0..<10, using: &random) == 0 })
        var window = DeliveryWindow(after: .zero)
        var taken: [Int] = []
        var underWay: [LogSequence] = []
        var now: Int64 = 1_700_000_000
        while window.base < 900 {
            let room = window.room(upTo: self.sequence(900))
            let first = Int(window.readAfter.rawValue) + 1
            for number in first..<first + Int.random(in: 0...room, using: &random) {
                window.add(Self.event(number, of: streams[number - 1]), isWanted: !unwanted.contains(number))
            }
            while underWay.count < 16, let sequence = window.next(at: now) { underWay.append(sequence) }
            if !underWay.isEmpty {
                let sequence = underWay.remove(at: .random(in: 0..<underWay.count, using: &random))
                switch Int.random(in: 0..<10, using: &random) {
                case 0: window.release(sequence)
                case 1...4:
                    let failure = DeliveryFailure("x", isAbsence: true)
                    #expect(window.fail(sequence, failure, at: now, jitter: 0.5) == nil)
                default:
                    taken.append(Int(sequence.rawValue))
                    window.deliver(sequence)
                }
            }
            now += 7
            if Int.random(in: 0..<50, using: &random) == 0 {
                // What was on its way is not known to have arrived.
                window = try #require(DeliveryWindow(window.bytes))
                underWay = []
            }
        }

        #expect(taken.sorted() == (1...900).filter { !unwanted.contains($0) })
        for stream in Set(streams) {
            let order = taken.filter { streams[$0 - 1] == stream }
            #expect(order == order.sorted())
        }
    }

    @Test func whatItKnowsIsReadAsItIsWritten() throws {
        var window = DeliveryWindow(after: self.sequence(77), upTo: self.sequence(9_000))
        for number in 78...300 { window.add(Self.event(number, of: number % 250), isWanted: true) }
        let out = self.departures(&window, at: 1_700_000_000)
        for number in out where number % 3 == 2 { window.deliver(LogSequence(rawValue: number)) }
        for number in out where number % 3 == 1 {
            _ = window.fail(LogSequence(rawValue: number), Self.refusal, at: 1_700_000_000, jitter: 0)
        }

        let bytes = window.bytes
        let read = try #require(DeliveryWindow(bytes))

        #expect(bytes.count <= Bookmarks.longestValue)
        #expect(read.bytes == bytes)
        #expect(read.base == 77)
        #expect(read.end == 9_000)
    }

    @Test func theFullestWindowFitsIntoANote() {
        var window = DeliveryWindow(after: .zero)
        for number in 1...256 {
            window.add(
                StoredEvent(
                    shard: ShardID(rawValue: 0), sequence: self.sequence(number), epoch: Epoch(rawValue: 1),
                    key: [UInt8(number % 256), UInt8(number / 256)], version: StreamVersion(rawValue: 1),
                    kind: "renewed",
                    dedupKey: [], at: 0, body: [], entitlement: []),
                isWanted: true)
        }
        for number in self.departures(&window) {
            _ = window.fail(LogSequence(rawValue: number), Self.refusal, at: 1_700_000_000, jitter: 0)
        }
        #expect(window.bytes.count <= Bookmarks.longestValue)
    }

    @Test(arguments: [[], [1], [2] + [UInt8](repeating: 0, count: 48), [1] + [UInt8](repeating: 0, count: 49)])
    func whatIsNoneIsRefused(_ bytes: [UInt8]) { #expect(DeliveryWindow(bytes) == nil) }
}

/// When to try again.
@Suite struct RetryScheduleTests {
    /// The specification's example: ten attempts, the last one 75 hours, 35 minutes and 5 seconds after the first.
    @Test func itIsTheOneOfTheSpecification() {
        #expect(RetrySchedule.delays.count == 9)
        #expect(RetrySchedule.length == 75 * 3_600 + 35 * 60 + 5)
    }

    /// After `attempts`, all of which failed like the last.
    private func delay(_ attempts: Int, _ failure: DeliveryFailure, at now: Int64 = 0, jitter: Double = 0) -> Int64? {
        let (refusals, absences) = failure.isAbsence ? (0, attempts) : (attempts, 0)
        return RetrySchedule.next(
            after: Trial(refusals: refusals, absences: absences, first: 0, next: 0), failure, at: now, jitter: jitter)
    }

    @Test func aRefusalFollowsIt() {
        let refusal = DeliveryFailure("status 400", isAbsence: false)

        #expect((1...10).map { self.delay($0, refusal) } == RetrySchedule.delays.map { Optional($0) } + [nil])
        #expect(self.delay(2, refusal, jitter: 1) == 330)
    }

    @Test func anEndpointThatIsGoneIsLookedAtOften() {
        let absence = DeliveryFailure("no connection", isAbsence: true)

        #expect(self.delay(1, absence) == 5)
        #expect(self.delay(200, absence, at: 1_000) == 1_300)
        #expect(self.delay(200, absence, at: RetrySchedule.length - 1) != nil)
        #expect(self.delay(200, absence, at: RetrySchedule.length) == nil)
    }

    @Test func aWishToWaitIsHeard() {
        #expect(self.delay(1, DeliveryFailure("status 503", isAbsence: true, retryAfter: 60)) == 60)
        #expect(self.delay(3, DeliveryFailure("status 429", isAbsence: false, retryAfter: 60)) == 1_800)
        // Not for ever.
        #expect(self.delay(1, DeliveryFailure("status 503", isAbsence: true, retryAfter: .max)) == 86_400)
        #expect(self.delay(1, DeliveryFailure("status 503", isAbsence: true, retryAfter: -5)) == 5)
    }
}
