import Subscriptions
import SwiftProtobuf
import Testing
import WireProtocol

@Suite struct PersonalIdentifiersTests {
    @Test("with the personal message all that leads to a person is gone, and the rest still reads")
    func erasable() throws {
        // given
        var event = Samples.renewed()
        event.link = LinkRecord(
            .linked, CustomerID("customer-4711"), token: AccountToken("a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"),
            place: .lowest)
        var message = try ProtoEvent(serializedBytes: event.protoBytes(key: Samples.key))
        // when
        message.clearPersonal()
        let read = try SubscriptionEvent(protoBytes: message.serializedBytes(), key: Samples.key)
        // then
        var expected = event
        expected.link?.customer = nil
        expected.link?.token = nil
        expected.facts.transactions[0].appAccountToken = nil
        expected.facts.transactions[0].appTransactionID = nil
        expected.facts.renewal?.appAccountToken = nil
        expected.facts.renewal?.appTransactionID = nil
        #expect(read == expected)
    }

    @Test("so it is with what was said of a customer")
    func customer() throws {
        let key = StreamKey(.customer, IdentifierHash(high: 1, low: 2))
        let event = SubscriptionEvent(
            source: .person, changes: [.grantRevoked],
            customer: CustomerRecord(
                CustomerID("customer-4711"), .revoked(grant: GrantKey("g"), at: .distantPast), actor: "shop")
        )
        var message = try ProtoEvent(serializedBytes: event.protoBytes(key: key))
        message.clearPersonal()
        let read = try SubscriptionEvent(protoBytes: message.serializedBytes(), key: key)
        var expected = event
        expected.customer?.customer = nil
        #expect(read == expected)
    }

    @Test func `the other side of a move stands apart too`() throws {
        let key = StreamKey(.customer, IdentifierHash(high: 1, low: 2))
        for content in [
            .moved(to: CustomerID("customer-4712")), .drops(CustomerID("customer-4712")),
            .takes(CustomerID("customer-4712"), at: 3, Room()),
            .taken(CustomerID("customer-4712"), Belongings(of: 2)),
            .givesBack(CustomerID("customer-4712"), at: 3, Room(), ReturnedBelongings()),
            .returned(from: CustomerID("customer-4712")),
        ] as [CustomerRecord.Content] {
            let event = SubscriptionEvent(
                source: .person, changes: [.moved], customer: CustomerRecord(CustomerID("customer-4711"), content))
            var message = try ProtoEvent(serializedBytes: event.protoBytes(key: key))
            message.clearPersonal()
            let bytes = try message.serializedBytes() as [UInt8]
            #expect(!String(decoding: bytes, as: UTF8.self).contains("471"))
            let read = try #require(SubscriptionEvent(protoBytes: bytes, key: key).customer)
            #expect(read.customer == nil && read.content != content)
        }
    }

    @Test(arguments: Registration.Action.allCases)
    func `so it is with an identifier that somebody has registered`(_ action: Registration.Action) throws {
        let key = StreamKey(.appTransaction, IdentifierHash(high: 1, low: 2))
        let event = SubscriptionEvent(
            source: .person, changes: [.registered],
            registration: Registration(action, of: "704711", CustomerID("customer-4711"), actor: "shop"))
        var message = try ProtoEvent(serializedBytes: event.protoBytes(key: key))
        message.clearPersonal()
        let bytes = try message.serializedBytes() as [UInt8]
        #expect(!String(decoding: bytes, as: UTF8.self).contains("4711"))
        var expected = event
        expected.registration = Registration(action, of: nil, nil, actor: "shop")
        #expect(try SubscriptionEvent(protoBytes: bytes, key: key) == expected)
    }

    @Test("so it is with a withdrawn consent")
    func rescinded() throws {
        // given
        let rescinded = NotificationRecord.ConsentRescinded(appTransactionID: Samples.appTransactionID)
        let event = SubscriptionEvent(
            source: .notification, changes: [Change(rawValue: "consentRescinded")],
            record: .consentRescinded(rescinded))
        var message = try ProtoEvent(serializedBytes: event.protoBytes(key: Samples.key))
        // when
        message.clearPersonal()
        let read = try SubscriptionEvent(protoBytes: message.serializedBytes(), key: Samples.key)
        // then
        #expect(read.record == .consentRescinded(NotificationRecord.ConsentRescinded(appTransactionID: "")))
    }
}
