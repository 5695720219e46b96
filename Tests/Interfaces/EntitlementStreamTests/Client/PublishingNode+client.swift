import EntitlementStream
import Entitlements
import EventLog
import Foundation
import Logging
import PerennialClient
import PerennialTestSupport
import Subscriptions
import Testing
import ZeroMQ

extension PublishingNode {
    /// - Parameters:
    ///   - stream: where the node's stream is, or what stands before it.
    ///   - keys: those of the subscriber unless given.
    func clientConfiguration(of stream: String, keys: CurveKeyPair? = nil) -> PerennialClient.Configuration {
        var configuration = PerennialClient.Configuration(
            nodes: [
                .init(
                    address: String(stream.dropFirst("tcp://".count)),
                    publicKey: Z85.text(of: self.stream.keys.publicKey) ?? "")
            ], secretKey: Z85.text(of: (keys ?? self.subscriber).secretKey) ?? "")
        // On a busy machine a node of this process may get no turn for longer than the two seconds of others.
        configuration.staleness = .seconds(60)
        configuration.logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        return configuration
    }

    /// Runs a client for as long as `body` takes, and ends it with whatever it has under way.
    func follow<Value: Sendable>(
        _ stream: String, keys: CurveKeyPair? = nil, _ body: (PerennialClient) async throws -> Value
    ) async throws -> Value {
        let client = try PerennialClient(self.clientConfiguration(of: stream, keys: keys))
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await client.run() }
            defer { group.cancelAll() }
            return try await body(client)
        }
    }

    private func rows() async throws -> [(key: StreamKey, row: StreamRow)] {
        var rows: [(key: StreamKey, row: StreamRow)] = []
        for shard in 0..<16 {
            for row in try await self.store.streams(in: ShardID(rawValue: UInt16(shard)), after: nil, limit: 1_000) {
                rows.append((try #require(StreamKey(bytes: row.key)), row))
            }
        }
        return rows
    }

    /// Whether a client has heard of all that the store holds.
    func isAll(heardBy client: PerennialClient) async throws -> Bool {
        try await self.rows().allSatisfy { key, row in
            (try? client.check(key.id))?.version == row.version.rawValue
        }
    }

    /// A client says what the rows of the store say, at any moment, and knows of nothing else.
    func expectStoredAnswers(of client: PerennialClient) async throws {
        let rows = try await self.rows()
        #expect(client.count == rows.count)
        for (key, row) in rows {
            let stored = try EntitlementRow(decoding: row.entitlement)
            for day in stride(from: Int64(1), through: 900, by: 20) {
                let moment = Self.start + .days(day)
                let answer = try client.check(
                    key.id, at: Date(timeIntervalSince1970: Double(moment.milliseconds) / 1_000))
                let expected = stored.answer(at: moment)
                #expect(answer.isEntitled == expected.entitled)
                #expect(answer.state?.rawValue == expected.state?.rawValue)
                #expect(answer.productID == expected.productID)
                #expect(
                    answer.validUntil.map { Int64(($0.timeIntervalSince1970 * 1_000).rounded()) }
                        == expected.validUntil?.milliseconds)
                #expect(answer.version == row.version.rawValue)
            }
        }
    }
}
