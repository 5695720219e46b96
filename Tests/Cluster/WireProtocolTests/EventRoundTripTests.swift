import Subscriptions
import SwiftProtobuf
import Testing
import WireProtocol

@Suite struct EventRoundTripTests {
    @Test("any event comes back exactly, whatever its key", arguments: 0..<20)
    func anyEvent(seed: UInt64) throws {
        var random = Randomness(seed: seed)
        for _ in 0..<150 {
            // given
            let key = random.key()
            let event = random.event(under: key)
            // when
            let read = try SubscriptionEvent(protoBytes: event.protoBytes(key: key), key: key)
            // then
            try #require(isIdentical(read, event))
        }
    }

    @Test("events are written as SwiftProtobuf writes them", arguments: 0..<20)
    func asSwiftProtobufDoes(seed: UInt64) throws {
        var random = Randomness(seed: seed)
        for _ in 0..<150 {
            let key = random.key()
            let bytes = try random.event(under: key).protoBytes(key: key)
            #expect(try ProtoEvent(serializedBytes: bytes).serializedBytes() as [UInt8] == bytes)
        }
    }

    @Test(
        "a text comes back as it was written, in whatever form it is stored",
        arguments: [
            "", "0", "00", "007", "+5", "-1", "2000000123456789", "18446744073709551615", "18446744073709551616",
            "8d1c2c5e-0a4f-4f3b-9c61-2f7f6d1b5a90", "8D1C2C5E-0A4F-4F3B-9C61-2F7F6D1B5A90",
            "8d1c2c5e-0A4F-4f3b-9c61-2f7f6d1b5a90", "8d1c2c5e00a4f-4f3b-9c61-2f7f6d1b5a90",
            "12345678-1234-1234-1234-123456789012", "e\u{301}", "é", "FAMILY_REVO\u{212A}E", "FAMILY_REVOKE",
            "family_revoke", "\u{0}",
        ])
    func text(_ text: String) throws {
        // given
        var transaction = Samples.transaction()
        transaction.transactionID = TransactionID(rawValue: text)
        transaction.productID = text
        transaction.appAccountToken = text
        transaction.revocationType = text
        transaction.offerIdentifier = text
        let event = SubscriptionEvent(
            facts: Facts(transactions: [transaction]), source: .client, changes: [Change(rawValue: text)],
            notification: NotificationIdentity(uuid: text, type: text, subtype: text),
            link: LinkRecord(.linked, CustomerID(stored: text), actor: text, reason: text), detail: text)
        // when
        let read = try SubscriptionEvent(protoBytes: event.protoBytes(key: Samples.key), key: Samples.key)
        // then
        #expect(isIdentical(read, event))
    }

    @Test("what differs from the key only in its bytes is not taken for the same")
    func equivalentKey() throws {
        // given
        let key = StreamKey(
            kind: .subscription, id: "é", environment: AppStoreEnvironment(rawValue: "é"),
            bundleID: BundleID(rawValue: "é"))
        var transaction = Samples.transaction()
        transaction.originalTransactionID = OriginalTransactionID(rawValue: "e\u{301}")
        transaction.environment = AppStoreEnvironment(rawValue: "e\u{301}")
        transaction.bundleID = BundleID(rawValue: "e\u{301}")
        transaction.productID = "é"
        var second = transaction
        second.productID = "e\u{301}"
        let event = SubscriptionEvent(
            facts: Facts(transactions: [transaction, second]), source: .client, changes: [Change(rawValue: "noted")])
        // when
        let read = try SubscriptionEvent(protoBytes: event.protoBytes(key: key), key: key)
        // then
        #expect(isIdentical(read, event))
    }

    @Test(
        "an identifier that each fact says differently stays with its fact",
        arguments: [
            [nil, nil, nil], ["a", "a", "a"], ["a", "a", nil], [nil, "a", "a"], ["a", nil, "a"], ["a", "b", "c"],
            [nil, nil, "a"],
        ] as [[String?]])
    func owners(_ tokens: [String?]) throws {
        // given
        var facts = Facts(transactions: [Samples.transaction(), Samples.transaction()], renewal: Samples.renewal())
        facts.transactions[0].appAccountToken = tokens[0]
        facts.transactions[1].appAccountToken = tokens[1]
        facts.renewal?.appAccountToken = tokens[2]
        let event = SubscriptionEvent(facts: facts, source: .client, changes: [Change(rawValue: "noted")])
        // when
        let read = try SubscriptionEvent(protoBytes: event.protoBytes(key: Samples.key), key: Samples.key)
        // then
        #expect(read == event)
    }
}

/// Equal, and with the very same bytes in every text, which `==` alone does not tell.
func isIdentical<Value: Equatable>(_ left: Value, _ right: Value) -> Bool {
    guard left == right else { return false }
    // Equal dictionaries may be written in different orders.
    return String(reflecting: left).utf8.elementsEqual(String(reflecting: right).utf8)
        || spelling(of: left) == spelling(of: right)
}

/// The bytes of every text in a value, in one order.
private func spelling(of value: Any) -> [UInt8] {
    if let text = value as? String { return Array(text.utf8) + [0xFF] }
    let mirror = Mirror(reflecting: value)
    let parts = mirror.children.map { spelling(of: $0.value) }
    guard mirror.displayStyle == .dictionary || mirror.displayStyle == .set else { return parts.flatMap(\.self) }
    return parts.sorted { $0.lexicographicallyPrecedes($1) }.flatMap(\.self)
}
