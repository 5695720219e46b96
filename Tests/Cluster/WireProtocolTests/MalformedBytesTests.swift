import PerennialTestSupport
import Subscriptions
import SwiftProtobuf
import Testing
import WireProtocol

@Suite(.onOwnThreads) struct MalformedBytesTests {
    @Test("every beginning of an event reads as an event or is refused")
    func prefixes() throws {
        let bytes = try Samples.renewed().protoBytes(key: Samples.key)
        for count in 0..<bytes.count { self.readOrRefuse(Array(bytes.prefix(count))) }
    }

    @Test("damaged events are read or refused, never more", arguments: 0..<8)
    func damage(seed: UInt64) throws {
        var random = Randomness(seed: seed)
        for _ in 0..<500 {
            let bytes = try random.event(under: Samples.key).protoBytes(key: Samples.key)
            self.readOrRefuse(random.damaged(bytes))
        }
    }

    @Test("bytes that mean nothing are read or refused", arguments: 0..<4)
    func noise(seed: UInt64) {
        var random = Randomness(seed: seed)
        for _ in 0..<5_000 { self.readOrRefuse(random.list(upTo: 60) { $0.byte() }) }
    }

    private func readOrRefuse(_ bytes: [UInt8]) {
        do throws(WireError) {
            // What could be read can be written as well.
            _ = try SubscriptionEvent(protoBytes: bytes, key: Samples.key).protoBytes(key: Samples.key)
        } catch {
            #expect(error.code != .tooLarge)
        }
    }

    @Test("a message that lacks what it must have, or contradicts itself, is refused as malformed")
    func lacking() throws {
        let damages: [(String, (inout ProtoEvent) -> Void)] = [
            ("no change", { $0.changes = [] }),
            ("a change without its text", { $0.changes = [.other] }),
            ("an unspecified change", { $0.changes = [.unspecified] }),
            ("no source", { $0.source = .unspecified }),
            ("a short digest", { $0.contentDigest.removeLast() }),
            ("a transaction without digest", { $0.facts.transactions[0].digest.removeAll() }),
            ("a transaction without id", { $0.facts.transactions[0].clearTransactionID() }),
            ("an id without form", { $0.facts.transactions[0].transactionID.form = nil }),
            ("a product beyond the list", { $0.facts.transactions[0].product = 9 }),
            ("a status without digest", { $0.facts.status.digest.removeAll() }),
            ("a notification without id", { $0.notification.clearUuid() }),
            ("a notification without type", { $0.notification.type = .unspecified }),
            ("a UUID of 15 bytes", { $0.notification.uuid.uuid.removeLast() }),
            ("a mass extension without id", { $0.massExtension = .init() }),
        ]
        for (name, damage) in damages {
            // given
            var message = try ProtoEvent(serializedBytes: Samples.renewed().protoBytes(key: Samples.key))
            damage(&message)
            let bytes: [UInt8] = try message.serializedBytes()
            // then
            #expect(self.refusal(of: bytes) == .malformed, "\(name)")
        }
    }

    @Test("a word that a newer version wrote by number is refused as such")
    func newerWord() throws {
        let newer: [(String, (inout ProtoEvent) -> Void)] = [
            ("source", { $0.source = .UNRECOGNIZED(99) }),
            ("change", { $0.changes.append(.UNRECOGNIZED(999)) }),
            ("type", { $0.notification.type = .UNRECOGNIZED(99) }),
            ("ownership", { $0.facts.transactions[0].ownership = .UNRECOGNIZED(99) }),
        ]
        for (name, change) in newer {
            // given
            var message = try ProtoEvent(serializedBytes: Samples.renewed().protoBytes(key: Samples.key))
            change(&message)
            let bytes: [UInt8] = try message.serializedBytes()
            // then
            #expect(self.refusal(of: bytes) == .unknownWord, "\(name)")
        }
    }

    @Test("fields that a newer version added are passed over")
    func newerField() throws {
        // given
        let event = Samples.renewed()
        let bytes = try event.protoBytes(key: Samples.key)
        let field999: [UInt8] = [0xB8, 0x3E, 0x01]
        // then
        #expect(try SubscriptionEvent(protoBytes: bytes + field999, key: Samples.key) == event)
    }

    private func refusal(of bytes: [UInt8]) -> WireError.Code? {
        do throws(WireError) {
            _ = try SubscriptionEvent(protoBytes: bytes, key: Samples.key)
            return nil
        } catch {
            return error.code
        }
    }
}
