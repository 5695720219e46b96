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
        let key = StreamKey(customer: IdentifierHash(high: 1, low: 2))
        let event = SubscriptionEvent(
            source: .person, changes: [.grantRevoked],
            customer: CustomerRecord(CustomerID("customer-4711"), .revoked(grant: "g", at: .distantPast), actor: "shop")
        )
        var message = try ProtoEvent(serializedBytes: event.protoBytes(key: key))
        message.clearPersonal()
        let read = try SubscriptionEvent(protoBytes: message.serializedBytes(), key: key)
        var expected = event
        expected.customer?.customer = nil
        #expect(read == expected)
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
