import Entitlements
import EventLog
import Foundation
import Mirroring
import Ownership
import PerennialTestSupport
import Subscriptions
import Synchronization
import Testing

/// Readers on threads of their own beside one writer. What a row says follows from its id and version, so that a reader
/// can tell a torn row, or that of another id, from a whole one.
@Suite struct MirrorConcurrencyTests {
    /// What readers found wrong, and how much they read.
    private final class Findings: Sendable {
        let isOver = Atomic<Bool>(false)
        /// How many ids have been taken over.
        let published = Atomic<Int>(0)
        let reads = Atomic<Int>(0)
        let torn = Atomic<Int>(0)
        let missing = Atomic<Int>(0)
        let older = Atomic<Int>(0)
    }

    /// Made before the threads start, so that these spend their time on the mirror.
    private static let phases = (0..<40).map { id in (0..<60).map { Self.phases(id, version: $0) } }

    private static func row(_ id: Int, version: Int64) -> EntitlementRow {
        let phases = id < 40 ? Self.phases[id][Int(version % 60)] : Self.phases(id, version: version % 60)
        return EntitlementRow(version: version, phases: phases)
    }

    /// - Parameter id: of its stream.
    private static func phases(_ id: Int, version: Int64) -> [EntitlementRow.Phase] {
        var random = SeededGenerator(seed: UInt64(id) << 32 | UInt64(version))
        // Few and many phases in turns, so that blocks of them come and go.
        let count = version % 3 == 0 ? 5 + Int(version + Int64(id)) % 12 : 1 + Int(version) % 4
        return (0..<count).map { index in
            EntitlementRow.Phase(
                from: Moment(milliseconds: Int64(index) * 1_000),
                state: EntitlementRow.states[Int.random(in: 0..<6, using: &random)],
                entitled: Bool.random(using: &random),
                code: CohortCode(state: .random(in: -9...5, using: &random), offer: .random(in: 0...5, using: &random)),
                productID: "product.\(id % 50)")
        }
    }

    private static func key(_ id: Int) -> StreamKey {
        MirrorFixture.key(id % 7 == 0 ? "text.\(id)" : "\(id)")
    }

    private static let shard = ShardID(rawValue: 1)

    private static func isWhole(_ answer: MirrorAnswer, _ id: Int, at moment: Moment, of mirror: EntitlementMirror)
        -> Bool
    {
        mirror.checkAnswer(of: answer) == self.row(id, version: answer.version.rawValue).answer(at: moment)
    }

    @Test("a reader sees whole rows of its own ids, never older than before, while all are being rewritten")
    func updates() async throws {
        let fixture = MirrorFixture()
        // Few, so that readers meet the writer.
        let count = 3
        for id in 0..<count { try fixture.apply(Self.key(id), Self.row(id, version: 1)) }
        let findings = Findings()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for reader in 0..<2 {
                group.addTask { await onOwnThread { Self.read(fixture, count, seed: reader, findings) } }
            }
            try await onOwnThread {
                var random = SeededGenerator(seed: 99)
                for version in 2..<60_000 as Range<Int64> {
                    for _ in 0..<10 {
                        let id = Int.random(in: 0..<count, using: &random)
                        try fixture.mirror.apply(
                            key: Self.key(id).bytes, Self.row(id, version: version), in: Self.shard)
                    }
                }
            }
            findings.isOver.store(true, ordering: .relaxed)
            try await group.waitForAll()
        }
        #expect(findings.reads.load(ordering: .relaxed) > 0)
        #expect(findings.torn.load(ordering: .relaxed) == 0)
        #expect(findings.missing.load(ordering: .relaxed) == 0)
        #expect(findings.older.load(ordering: .relaxed) == 0)
    }

    private static func read(_ fixture: MirrorFixture, _ count: Int, seed: Int, _ findings: Findings) {
        var random = SeededGenerator(seed: UInt64(seed))
        var newest = [Int64](repeating: 0, count: count)
        let questions = (0..<count).map { fixture.question(Self.key($0)) }
        var answers: [MirrorAnswer] = []
        repeat {
            let moment = Moment(milliseconds: .random(in: 0...16_000, using: &random))
            fixture.mirror.check(questions, at: fixture.time(moment), into: &answers)
            for id in 0..<count {
                let answer = seed == 0 ? answers[id] : fixture.mirror.check(questions[id], at: fixture.time(moment))
                findings.reads.wrappingAdd(1, ordering: .relaxed)
                guard answer.outcome == .found else {
                    findings.missing.wrappingAdd(1, ordering: .relaxed)
                    continue
                }
                if !Self.isWhole(answer, id, at: moment, of: fixture.mirror) {
                    findings.torn.wrappingAdd(1, ordering: .relaxed)
                }
                if answer.version.rawValue < newest[id] { findings.older.wrappingAdd(1, ordering: .relaxed) }
                newest[id] = answer.version.rawValue
            }
        } while !findings.isOver.load(ordering: .relaxed)
    }

    @Test("what was taken over before a question is found, however the table grows beside it")
    func growth() async throws {
        let fixture = MirrorFixture()
        let total = 120_000
        let findings = Findings()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for reader in 0..<2 {
                group.addTask {
                    await onOwnThread {
                        var random = SeededGenerator(seed: UInt64(reader))
                        repeat {
                            let known = findings.published.load(ordering: .acquiring)
                            guard known > 0 else { continue }
                            let id = Int.random(in: 0..<known, using: &random)
                            let answer = fixture.check(Self.key(id), at: Moment(milliseconds: 500))
                            findings.reads.wrappingAdd(1, ordering: .relaxed)
                            if answer.outcome != .found {
                                findings.missing.wrappingAdd(1, ordering: .relaxed)
                            } else if !Self.isWhole(answer, id, at: Moment(milliseconds: 500), of: fixture.mirror) {
                                findings.torn.wrappingAdd(1, ordering: .relaxed)
                            }
                            let absent = fixture.check(Self.key(total + id))
                            if absent.outcome != .unknown { findings.torn.wrappingAdd(1, ordering: .relaxed) }
                        } while !findings.isOver.load(ordering: .relaxed)
                    }
                }
            }
            try await onOwnThread {
                for id in 0..<total {
                    try fixture.mirror.apply(key: Self.key(id).bytes, Self.row(id, version: 1), in: Self.shard)
                    findings.published.store(id + 1, ordering: .releasing)
                }
            }
            findings.isOver.store(true, ordering: .relaxed)
            try await group.waitForAll()
        }
        #expect(findings.reads.load(ordering: .relaxed) > 0)
        #expect(findings.missing.load(ordering: .relaxed) == 0)
        #expect(findings.torn.load(ordering: .relaxed) == 0)
        #expect(fixture.mirror.count == total)
    }

    @Test("freshness is never claimed for a row older than it")
    func freshness() async throws {
        let fixture = MirrorFixture()
        let key = Self.key(1)
        let shard = fixture.map.shard(of: key.id)
        let findings = Findings()
        try fixture.apply(key, Self.row(1, version: 1))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                await onOwnThread {
                    let question = fixture.question(key)
                    var expected: Int64 = 1
                    repeat {
                        // Asked for at this second, version n is the least that a fresh answer may rest on.
                        let answer = fixture.mirror.check(question, at: fixture.time(after: .seconds(expected + 2)))
                        findings.reads.wrappingAdd(1, ordering: .relaxed)
                        if !answer.isStale {
                            if answer.version.rawValue < expected { findings.older.wrappingAdd(1, ordering: .relaxed) }
                            expected = answer.version.rawValue + 1
                        }
                    } while !findings.isOver.load(ordering: .relaxed)
                }
            }
            try await onOwnThread {
                for version in 2...20_000 as ClosedRange<Int64> {
                    try fixture.mirror.apply(key: key.bytes, Self.row(1, version: version), in: shard)
                    fixture.mirror.setCurrent(shard, asOf: fixture.origin + .seconds(version))
                }
            }
            findings.isOver.store(true, ordering: .relaxed)
            try await group.waitForAll()
        }
        #expect(findings.older.load(ordering: .relaxed) == 0)
    }

    @Test("a position is read whole")
    func positions() async throws {
        let fixture = MirrorFixture()
        let findings = Findings()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                await onOwnThread {
                    repeat {
                        let position = fixture.mirror.position(of: Self.shard)
                        if position.sequence.rawValue != Int64(position.incarnationTag) * 3 {
                            findings.torn.wrappingAdd(1, ordering: .relaxed)
                        }
                    } while !findings.isOver.load(ordering: .relaxed)
                }
            }
            await onOwnThread {
                for number in 1...200_000 as ClosedRange<Int64> {
                    fixture.mirror.setPosition(
                        Position(
                            shard: Self.shard, sequence: LogSequence(rawValue: number * 3),
                            incarnationTag: UInt32(number)))
                }
            }
            findings.isOver.store(true, ordering: .relaxed)
            try await group.waitForAll()
        }
        #expect(findings.torn.load(ordering: .relaxed) == 0)
    }
}
