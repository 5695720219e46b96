import Subscriptions
import SwiftProtobuf
import Testing
import WireProtocol

@Suite struct WordTests {
    @Test("every number of the schema stands for a word, which is written as that number")
    func everyNumber() throws {
        try self.check { event, word in event.notification.type = word }
        try self.check { event, word in event.notification.subtype = word }
        try self.check { event, word in event.changes = [word] }
        try self.check { event, word in event.facts.transactions[0].environment = word }
        try self.check { event, word in event.facts.transactions[0].productType = word }
        try self.check { event, word in event.facts.transactions[0].ownership = word }
        try self.check { event, word in event.facts.transactions[0].transactionReason = word }
        try self.check { event, word in event.facts.transactions[0].revocationType = word }
        try self.check { event, word in event.facts.transactions[0].offerDiscountType = word }
        try self.check { event, word in event.facts.transactions[0].billingPlanType = word }
    }

    private func check<Word: SwiftProtobuf.Enum & CaseIterable>(
        _ set: (inout ProtoEvent, Word) -> Void, location: SourceLocation = #_sourceLocation
    ) throws {
        for word in Word.allCases where word.rawValue > 1 {
            // given
            let key = StreamKey(
                kind: .subscription, id: Samples.key.id, environment: AppStoreEnvironment(rawValue: "elsewhere"),
                bundleID: Samples.key.bundleID)
            var message = try ProtoEvent(serializedBytes: Samples.renewed().protoBytes(key: key))
            set(&message, word)
            let bytes: [UInt8] = try message.serializedBytes()
            // when
            let written = try SubscriptionEvent(protoBytes: bytes, key: key).protoBytes(key: key)
            // then
            #expect(written == bytes, "\(word)", sourceLocation: location)
        }
    }

    @Test("known and unknown changes keep their order")
    func order() throws {
        // given
        let names = ["later", "renewed", "", "autoRenewEnabled", "later"]
        let event = SubscriptionEvent(source: .client, changes: names.map(Change.init))
        // when
        let read = try SubscriptionEvent(protoBytes: event.protoBytes(key: Samples.key), key: Samples.key)
        // then
        #expect(read.changes.map(\.rawValue) == names)
    }
}
