import Entitlements
import EventSourcing
import Foundation
import Publishing
import Subscriptions
import Testing
import ZeroMQ

/// The example in `proto/example` follows a node with nothing but the schema, and ends with what the node has.
@Suite(
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
            #expect(strangersStatus == 0 && nothing == [] && stranger.errors.isEmpty)
            #expect(try stranger.changes().isEmpty)
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
