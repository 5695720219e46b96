import PerennialClient
import PerennialTestSupport
import Testing

/// A client whose way to the node loses one in three of all messages: of what is published, of what it asks, and of what
/// it is answered.
@Suite(.timeLimit(.minutes(10))) struct LossyWayTests {
    private let node: PublishingNode

    init() throws { self.node = try PublishingNode() }

    /// Runs the node and the way to it for as long as `body` takes.
    private func run(
        seed: UInt64, _ body: @Sendable (PublishingNode.Running, LossyRelay) async throws -> Void
    ) async throws {
        try await self.node.run { running in
            let relay = try LossyRelay(to: running, of: self.node, seed: seed)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await relay.run() }
                defer { group.cancelAll() }
                try await body(running, relay)
            }
        }
    }

    /// Records periods of the first so many subscriptions, and has a beat come to the way after each.
    private func renew(
        _ count: Int, periods: ClosedRange<Int>, _ running: PublishingNode.Running, _ relay: LossyRelay
    ) async throws {
        for period in periods {
            try await running.service.renew(0..<count, period: period)
            let beats = relay.count(of: .beat)
            await eventually { relay.count(of: .beat) > beats }
        }
    }

    private static func ids(_ numbers: Range<Int>) -> [String] { numbers.map { "\(2_000_000_000 + $0)" } }

    /// Reads until `isEnough` of the versions that it has been told of, by id and in the order in which they came.
    private static func read(
        _ changes: PerennialClient.Changes, until isEnough: ([String: [Int64]]) -> Bool
    ) async -> [String: [Int64]] {
        var versions: [String: [Int64]] = [:]
        for await event in changes {
            switch event {
            case .change(let change):
                versions[change.subject.originalTransactionID, default: []].append(change.entitlement.version)
            case .customers: break
            case .rewound: Issue.record("nothing has been lost by the store")
            }
            if isEnough(versions) { break }
        }
        return versions
    }

    /// Of each of these seeds, one of the first four messages of each kind gets lost.
    @Test(arguments: [2, 3, 4] as [UInt64])
    func endsWithTheOwnersAnswersAndHasToldEveryVersion(seed: UInt64) async throws {
        try await self.run(seed: seed) { running, relay in
            // given: something is there before anybody follows
            try await running.service.renew(0..<60, period: 1)
            try await self.node.follow(relay.stream) { client in
                let changes = try client.changes()
                await eventually { changes.position != nil }
                // when: things happen while all is copied, and later
                try await self.renew(90, periods: 2...10, running, relay)
                try await client.untilReady()
                try await self.renew(90, periods: 11...20, running, relay)
                // then: each version is told once, in order
                let first = Dictionary(
                    uniqueKeysWithValues: Self.ids(0..<60).map { ($0, Array(2...20 as ClosedRange<Int64>)) })
                let others = Dictionary(
                    uniqueKeysWithValues: Self.ids(60..<90).map { ($0, Array(1...19 as ClosedRange<Int64>)) })
                let expected = first.merging(others) { $1 }
                let told = await Self.read(changes) { told in
                    expected.allSatisfy { told[$0.key]?.last == $0.value.last }
                }
                #expect(told == expected)
                // and the answers are those of the owner
                await eventually { (try? await self.node.isAll(heardBy: client)) == true }
                try await self.node.expectStoredAnswers(of: client)
                // although of everything something was lost
                for kind in [.delta, .beat, .question, .heads, .snapshot, .changes] as [LossyRelay.Kind] {
                    #expect(relay.lost[kind, default: 0] > 0, "\(kind)")
                }
            }
        }
    }

    @Test func whoEndsBeforeItHasSavedGoesOnWithoutAHole() async throws {
        try await self.run(seed: 2) { running, relay in
            try await running.service.renew(0..<60, period: 1)
            var saved: PerennialClient.ChangePosition?
            var newest = Dictionary(uniqueKeysWithValues: Self.ids(0..<60).map { ($0, Int64(1)) })
            var count = 0
            for number in 0..<6 {
                let told = try await self.node.follow(relay.stream) { client in
                    // given: somebody who goes on where the one before has saved that it was
                    let changes = try client.changes(after: saved)
                    await eventually { changes.position != nil }
                    if saved == nil { saved = changes.position }
                    // when: it is ended in the middle of what happens, the last one excepted
                    let last = 4 + 3 * number
                    try await self.renew(60, periods: (last - 2)...last, running, relay)
                    var read = 0
                    return await Self.read(changes) { told in
                        read += 1
                        if read.isMultiple(of: 40) { saved = changes.position }
                        return number < 5 ? read == 90 : told.values.count { $0.last == Int64(last) } == 60
                    }
                }
                // then: each has told of every version in order, from what was known before
                for (id, versions) in told {
                    let known = try #require(newest[id])
                    #expect(versions.first.map { $0 <= known + 1 } == true, "\(id) after \(known): \(versions)")
                    #expect(zip(versions, versions.dropFirst()).allSatisfy { $1 == $0 + 1 }, "\(id): \(versions)")
                    newest[id] = max(known, versions.last ?? 0)
                }
                count += told.values.reduce(0) { $0 + $1.count }
            }
            #expect(newest.values.allSatisfy { $0 == 19 })
            // and some of them twice: else nobody was ended before it had saved
            #expect(count > 60 * 18)
        }
    }
}
