import EntitlementStream
import Entitlements
import EventLog
import Foundation
import PerennialTestSupport
import Subscriptions
import Testing
import WireProtocol
import ZeroMQ

/// The example in `proto/example` follows a node with nothing but the schema, and ends with what the node has.
@Suite(
    .onOwnThreads,
    .enabled(if: PythonSubscriber.python != nil, "set PERENNIAL_TEST_PYTHON to a Python that has pyzmq and protobuf"),
    .timeLimit(.minutes(10)))
struct PythonSubscriberTests {
    @Test func endsWithTheOwnersStateAlthoughItIsSlowAndMessagesAreLost() async throws {
        // given: few messages are kept for a subscriber, and something is there before it comes
        var node = try PublishingNode()
        node.stream.messagesPerSubscriber = 100
        try await node.run { [node] running in
            try await running.service.renew(0..<60, period: 1)
            let stranger = try PythonSubscriber(of: running, node, keys: try CurveKeyPair())
            let subscriber = try PythonSubscriber(of: running, node, keys: node.subscriber)
            await eventually { subscriber.errors.contains("following 60 streams") || !subscriber.isRunning }
            try #require(subscriber.isRunning, "\(subscriber.errors)")

            // when: a third of what is published is lost, and it does not read for a while
            running.tap.loseOne(of: 3)
            for period in 2...3 { try await running.service.renew(0..<90, period: period) }
            subscriber.send(SIGSTOP)
            for period in 4...8 { try await running.service.renew(0..<90, period: period) }
            subscriber.send(SIGCONT)
            try await running.service.renew(0..<90, period: 9)
            // then: it tells of every version
            await eventually { (try? subscriber.changes().count) ?? 0 >= 60 * 8 + 30 * 8 || !subscriber.isRunning }
            let moment = PublishingNode.start + .days(250)
            let (status, dump) = try await subscriber.end()
            #expect(status == 0, "\(subscriber.errors)")
            try Self.expectNoHole(in: try subscriber.changes())
            // and has what the store has
            try await Self.expect(dump, toBe: node.store, at: moment)
            // and who is not listed has heard nothing
            let (strangersStatus, nothing) = try await stranger.end()
            #expect(subscriber.rewinds == 0)
            #expect(strangersStatus == 0 && nothing == [] && stranger.errors.isEmpty)
            #expect(try stranger.changes().isEmpty)
        }
    }

    @Test func copiesAsManyShardsAsAStoreCanHave() async throws {
        var node = try PublishingNode(shardCount: 4_096)
        node.stream.beatInterval = .milliseconds(500)
        try await node.run { [node] running in
            try await running.service.renew(0..<500, period: 1)
            let subscriber = try PythonSubscriber(of: running, node, keys: node.subscriber)
            await eventually { subscriber.errors.contains("following 500 streams") || !subscriber.isRunning }
            let (status, dump) = try await subscriber.end()
            #expect(status == 0, "\(subscriber.errors)")
            #expect(Set(dump.map(\.id)) == Set(Self.ids(0..<500)))
        }
    }

    /// Longer messages than usual, so that few fill the buffers of a connection.
    @Test func whoStandsStillLosesWhatDoesNotFitAndGetsItLater() async throws {
        // given: few messages are kept for a subscriber, who has copied all
        var node = try PublishingNode()
        node.stream.messagesPerSubscriber = 100
        try await node.run { [node] running in
            try await running.service.renew(0..<60, period: 1)
            let subscriber = try PythonSubscriber(of: running, node, keys: node.subscriber)
            await eventually { subscriber.errors.contains("following 60 streams") || !subscriber.isRunning }
            try #require(subscriber.isRunning, "\(subscriber.errors)")
            // when: it stands still while three times as much is published as a system keeps for a connection, 4 MB
            let witness = node.subscribe(to: running)
            subscriber.send(SIGSTOP)
            let bundleID = "com.example." + String(repeating: "a", count: 3_500)
            for period in 1...12 { try await running.service.renew(100..<400, period: period, of: bundleID) }
            let heads = try await node.heads()
            // What a beat names has been sent before it.
            await eventually { witness.beats.last.map { Self.names(heads, $0) } == true }
            subscriber.send(SIGCONT)
            // then: it tells of every version
            await eventually { subscriber.lineCount >= 300 * 12 || !subscriber.isRunning }
            let (status, dump) = try await subscriber.end()
            #expect(status == 0, "\(subscriber.errors)")
            var told = Told()
            told.add(try subscriber.changes())
            #expect(told.newest == Dictionary(uniqueKeysWithValues: Self.ids(100..<400).map { ($0, 12) }))
            #expect(told.count == 300 * 12)
            // and has what the store has
            try await Self.expect(dump, toBe: node.store, at: PublishingNode.start + .days(250))
            // although nothing but the node itself has lost some of it
            #expect(subscriber.questions > 0)
        }
    }

    private static func names(_ heads: [ShardID: StreamPosition], _ beat: StreamBeat) -> Bool {
        heads.allSatisfy { shard, head in beat.heads.contains { $0.shard == shard && $0.position == head } }
    }

    @Test func whoIsKilledGoesOnWithoutAHole() async throws {
        let positions = Self.newFile()
        defer { try? FileManager.default.removeItem(at: positions) }
        let node = try PublishingNode()
        try await node.run { running in
            // given: somebody follows, and a third of what is published is lost
            try await running.service.renew(0..<60, period: 1)
            running.tap.loseOne(of: 3)
            var told = Told(newest: Dictionary(uniqueKeysWithValues: Self.ids(0..<60).map { ($0, 1) }))
            for (number, count) in [1, 30, 120, 5, 70].enumerated() {
                let subscriber = try PythonSubscriber(of: running, node, keys: node.subscriber, positions: positions)
                if number == 0 {
                    await eventually { subscriber.errors.contains("following 60 streams") || !subscriber.isRunning }
                }
                // when: it is killed while it tells of changes, and more of them come
                async let renewing: Void = running.service.renew(0..<60, periods: (2 + 3 * number)...(4 + 3 * number))
                await eventually { subscriber.lineCount >= count || !subscriber.isRunning }
                #expect(subscriber.isRunning, "\(subscriber.errors)")
                subscriber.send(SIGKILL)
                await eventually { !subscriber.isRunning }
                try await renewing
                told.add(try subscriber.changes())
                #expect(subscriber.rewinds == 0)
            }
            // then: the last one tells of the rest
            let subscriber = try PythonSubscriber(of: running, node, keys: node.subscriber, positions: positions)
            let all = Dictionary(uniqueKeysWithValues: Self.ids(0..<60).map { ($0, 16) })
            await eventually {
                var soFar = told.newest
                for change in (try? subscriber.changes()) ?? [] { soFar[change.id] = change.version }
                return soFar == all || !subscriber.isRunning
            }
            let (status, dump) = try await subscriber.end()
            #expect(status == 0, "\(subscriber.errors)")
            told.add(try subscriber.changes())
            #expect(told.newest == all)
            #expect(subscriber.rewinds == 0)
            // and has what the store has
            try await Self.expect(dump, toBe: node.store, at: PublishingNode.start + .days(250))
        }
    }

    @Test func aPositionInAnotherStoreIsVoid() async throws {
        let positions = Self.newFile()
        defer { try? FileManager.default.removeItem(at: positions) }
        // given: somebody who has followed one store
        let first = try PublishingNode()
        try await first.run { running in
            try await running.service.renew(0..<60, period: 1)
            let subscriber = try PythonSubscriber(of: running, first, keys: first.subscriber, positions: positions)
            await eventually { subscriber.errors.contains("following 60 streams") || !subscriber.isRunning }
            #expect(try await subscriber.end().status == 0, "\(subscriber.errors)")
        }
        let second = try PublishingNode()
        try await second.run { running in
            try await running.service.renew(0..<30, period: 1)
            // when: it goes on with another one
            let subscriber = try PythonSubscriber(of: running, second, keys: second.subscriber, positions: positions)
            await eventually { subscriber.errors.contains("following 30 streams") || !subscriber.isRunning }
            try await running.service.renew(0..<30, period: 2)
            await eventually { subscriber.lineCount >= 16 + 30 || !subscriber.isRunning }
            // then: it says so of each shard, and has and tells what is true of this one
            let (status, dump) = try await subscriber.end()
            #expect(status == 0, "\(subscriber.errors)")
            #expect(subscriber.rewinds == 16)
            var told = Told(newest: Dictionary(uniqueKeysWithValues: Self.ids(0..<30).map { ($0, 1) }))
            told.add(try subscriber.changes())
            #expect(told.newest == Dictionary(uniqueKeysWithValues: Self.ids(0..<30).map { ($0, 2) }))
            try await Self.expect(dump, toBe: second.store, at: PublishingNode.start + .days(250))
        }
    }

    private static func ids(_ numbers: Range<Int>) -> [String] { numbers.map { "\(2_000_000_000 + $0)" } }

    private static func newFile() -> URL {
        FileManager.default.temporaryDirectory.appending(path: "positions-\(UUID().uuidString)")
    }

    /// What one run after the other has told of.
    private struct Told {
        /// By id.
        var newest: [String: Int] = [:]
        var count = 0

        /// Each run tells of each shard in the order of its log, beginning at or before the end of the run before.
        mutating func add(_ changes: [PythonSubscriber.Change]) {
            self.count += changes.count
            for told in Dictionary(grouping: changes, by: \.shard).values {
                #expect(zip(told, told.dropFirst()).allSatisfy { $1.sequence == $0.sequence + 1 })
            }
            for (id, told) in Dictionary(grouping: changes, by: \.id) {
                let (known, versions) = (self.newest[id] ?? 0, told.map(\.version))
                #expect(zip(versions, versions.dropFirst()).allSatisfy { $1 == $0 + 1 }, "\(id): \(versions)")
                #expect(versions[0] <= known + 1, "\(id) after \(known): \(versions)")
                self.newest[id] = max(known, versions[versions.count - 1])
            }
        }
    }

    private static func expectNoHole(in changes: [PythonSubscriber.Change]) throws {
        #expect(changes.count == 60 * 8 + 30 * 8)
        for (id, told) in Dictionary(grouping: changes, by: \.id) {
            let first = try #require(Int(id)) - 2_000_000_000 < 60 ? 2 : 1
            #expect(told.map(\.version) == Array(first..<first + 8))
        }
        for told in Dictionary(grouping: changes, by: \.shard).values {
            #expect(told.map(\.sequence) == told.map(\.sequence).sorted())
        }
    }

    private static func expect(
        _ dump: [PythonSubscriber.Row], toBe store: any EventStore, at moment: Moment
    ) async throws {
        let rows = Dictionary(uniqueKeysWithValues: dump.map { ($0.id, $0) })
        #expect(rows.count == dump.count)
        var count = 0
        for shard in 0..<16 {
            for row in try await store.streams(in: ShardID(rawValue: UInt16(shard)), after: nil, limit: 1_000) {
                count += 1
                let key = try #require(StreamKey(bytes: row.key))
                let answer = try EntitlementRow(decoding: row.entitlement).answer(at: moment)
                let expected = PythonSubscriber.Row(
                    kind: "subscription", id: key.id, environment: key.environment.rawValue,
                    bundleId: key.bundleID.rawValue, version: Int(row.version.rawValue), entitled: answer.entitled,
                    state: answer.state?.rawValue, productId: answer.productID,
                    validUntil: answer.validUntil?.milliseconds)
                #expect(rows[key.id] == expected)
            }
        }
        #expect(count == dump.count)
    }
}
