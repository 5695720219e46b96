import Clustering
import EventLog
import Testing

@Suite struct CallTableTests {
    private struct Call: Equatable {
        var shard: ShardID
        var bytes: Int
        var begun: ContinuousClock.Instant
        var deadline: ContinuousClock.Instant
        var isCommand: Bool
    }

    @Test(arguments: 0..<64 as Range<UInt64>)
    func givesEachWaiterBackOnce(seed: UInt64) {
        // given
        var random = SeededRandom(seed: seed)
        let start = ContinuousClock.now
        var table = CallTable<UInt64>(
            limits: CallTable<UInt64>.Limits(calls: 40, bytes: 4_000), after: 1_000, start: start)
        var list: [UInt64: Call] = [:]
        var now = start
        var lastID: UInt64 = 1_000
        var handedOver: UInt64 = 1_000
        for _ in 0..<3_000 {
            switch random.next(upperBound: 100 as UInt64) {
            case 0..<50:
                // when
                let bytes = Int(random.next(upperBound: 300 as UInt64))
                let deadline = now + .milliseconds(Int(random.next(upperBound: 500 as UInt64)))
                let shard = ShardID(rawValue: UInt16(random.next(upperBound: 8 as UInt64)))
                let isCommand = Bool.random(using: &random)
                let id = table.admit(
                    lastID + 1, of: shard, bytes: bytes, isCommand: isCommand, deadline: deadline, at: now)
                // then
                let total = list.values.reduce(bytes) { $0 + $1.bytes }
                let hasRoom = list.isEmpty || list.count < 40 && total <= 4_000
                #expect(id == (hasRoom ? lastID + 1 : nil))
                guard let id else { continue }
                lastID = id
                list[id] = Call(
                    shard: shard, bytes: bytes, begun: now, deadline: deadline, isCommand: isCommand)
            case 50..<80:
                let id = list.keys.randomElement(using: &random) ?? 17
                #expect(table.finish(id) == (list[id] == nil ? nil : id))
                #expect(table.finish(id) == nil)
                list[id] = nil
            case 80..<90:
                now += .milliseconds(Int(random.next(upperBound: 60 as UInt64)))
                for (id, waiter) in table.expire(at: now) {
                    #expect(id == waiter && list[id].map { $0.deadline <= now } ?? false)
                    list[id] = nil
                }
                #expect(list.values.allSatisfy { $0.deadline > now - DeadlineWheel.tick * 2 })
            case 90..<93:
                let shard = ShardID(rawValue: UInt16(random.next(upperBound: 8 as UInt64)))
                let moment = now - .milliseconds(Int(random.next(upperBound: 20 as UInt64)))
                let ids = table.finish(about: [shard], begunBefore: moment).map(\.id)
                #expect(ids == list.filter { $0.value.shard == shard && $0.value.begun < moment }.keys.sorted())
                for id in ids { list[id] = nil }
            case 93..<98:
                handedOver = max(handedOver, lastID - random.next(upperBound: 5 as UInt64))
                table.handOver(through: handedOver)
            default:
                let lost = table.loseConnection()
                #expect(lost == list.keys.filter { $0 <= handedOver }.sorted())
                for id in lost { list[id] = nil }
            }
            #expect(table.count == list.count)
            #expect(table.unansweredCommands == list.count { $0.key <= handedOver && $0.value.isCommand })
        }
        // when, then
        #expect(table.removeAll() == list.keys.sorted())
        #expect(table.isEmpty && table.nextDeadline == nil)
    }

    @Test func allowsOneCallHoweverLarge() {
        var table = CallTable<Int>(limits: CallTable<Int>.Limits(calls: 10, bytes: 10))
        let shard = ShardID(rawValue: 0)
        #expect(table.admit(1, of: shard, bytes: 1_000, deadline: .now) != nil)
        #expect(table.admit(2, of: shard, bytes: 0, deadline: .now) == nil)
    }
}
