import AppStore
import EventLog
import Foundation
import InMemoryStore
import ServiceContract
import SubscriptionService
import Subscriptions
import Testing

@Suite(.timeLimit(.minutes(10))) struct QuarantineTests {
    @Test func whatIsNotForUsIsKeptAndReplayedWhenItFits() async throws {
        // given: a node that serves one of two apps
        var node = try Node()
        node.bundles = [TestAppStore.bundles[0]]
        let payloads = try TestAppStore.bundles.map { bundle in
            var life = TestSubscription(id: "1", from: Node.start - .days(1), bundle: bundle)
            return try node.apple.sign(life.subscribe())
        }
        try await node.run { service in
            // when
            _ = try await service.ingest(signedPayload: payloads[0])
            let outcome = try await service.ingest(signedPayload: payloads[1])
            let again = try await service.ingest(signedPayload: payloads[1])
            // then: kept once, and nothing recorded
            #expect(outcome == .quarantined(reason: "unknownApp"))
            #expect(again == outcome)
            let rows = try await service.quarantined(after: 0, limit: 10)
            #expect(rows.map(\.reason) == ["unknownApp"])
            #expect(rows.map(\.raw) == [payloads[1]])
            #expect(try await service.statistics().streams == 1)
            let replay = try await service.replayQuarantine()
            #expect(replay == QuarantineReplay(applied: 0, kept: 1, failed: 0))
        }
        // and when the other app is configured
        node.bundles = TestAppStore.bundles
        try await node.run { service in
            let replay = try await service.replayQuarantine()
            // then
            #expect(replay == QuarantineReplay(applied: 1, kept: 0, failed: 0))
            #expect(try await service.quarantined(after: 0, limit: 10).isEmpty)
            let stream = StreamReference(id: "1", bundleID: TestAppStore.bundles[1])
            #expect(try await service.history(stream).count == 1)
            #expect(try await service.ingest(signedPayload: payloads[1]) == .duplicate(StreamVersion(rawValue: 1)))
        }
    }

    /// Of a signature (r, s) anybody makes (r, n − s), which holds as well.
    @Test func aPayloadIsKeptOnceWhicheverOfItsSignaturesComes() async throws {
        // given
        var node = try Node()
        node.bundles = [TestAppStore.bundles[0]]
        var life = TestSubscription(id: "1", from: Node.start - .days(1), bundle: TestAppStore.bundles[1])
        let payload = try node.apple.sign(life.subscribe())
        try await node.run { service in
            // when
            for payload in [payload, try Self.withOtherSignature(payload)] {
                let outcome = try await service.ingest(signedPayload: payload)
                // then: both are genuine
                #expect(outcome == .quarantined(reason: "unknownApp"))
            }
            #expect(try await service.quarantined(after: 0, limit: 10).map(\.raw) == [payload])
        }
    }

    private static func withOtherSignature(_ jws: [UInt8]) throws -> [UInt8] {
        let dot = try #require(jws.lastIndex(of: UInt8(ascii: ".")))
        let text =
            String(decoding: jws[(dot + 1)...], as: UTF8.self)
            .replacing("-", with: "+").replacing("_", with: "/") + "=="
        let signature = try #require(Data(base64Encoded: text))
        var s = [UInt8](repeating: 0, count: 32)
        var borrow = 0
        for place in (0..<32).reversed() {
            let difference = Int(Self.order[place]) - Int(signature[32 + place]) - borrow
            borrow = difference < 0 ? 1 : 0
            s[place] = UInt8(difference & 0xFF)
        }
        let other = (signature.prefix(32) + s).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        return jws[...dot] + Array(other.utf8)
    }

    /// Of the curve P-256 (FIPS 186-4, D.1.2.3).
    private static let order: [UInt8] = [
        0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
        0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
    ]

    @Test func whatStrangersCanHaveAreReasonsThatThereAre() {
        #expect(QuarantinedPayload.strangersReasons.isSubset(of: QuarantineReason.allCases.map(\.rawValue)))
    }

    @Test func aFullQuarantineIsTroubleOfOurOwn() async throws {
        // given
        var limits = QuarantineLimits()
        limits.rows = 0
        var node = try Node(store: InMemoryEventStore(shardCount: 16, quarantineLimits: limits))
        node.bundles = [TestAppStore.bundles[0]]
        var life = TestSubscription(id: "1", from: Node.start - .days(1), bundle: TestAppStore.bundles[1])
        let payload = try node.apple.sign(life.subscribe())
        try await node.run { service in
            // when, then
            let error = await #expect(throws: ServiceError.self) { try await service.ingest(signedPayload: payload) }
            #expect(error?.code == .storeFull)
            #expect(error?.retryable == true)
        }
    }
}
