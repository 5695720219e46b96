import Subscriptions
import SwiftProtobuf
import Testing
import WireProtocol

/// Reading by hand against SwiftProtobuf, over bytes that no writer of today writes: the same value, or refused for the
/// same reason.
@Suite struct ReadingTests {
    @Test("events are read as SwiftProtobuf reads them", arguments: 0..<10)
    func events(seed: UInt64) throws {
        var random = Randomness(seed: seed)
        for _ in 0..<20 {
            // given
            let key = random.key()
            let bytes = try random.event(under: key).protoBytes(key: key)
            let other = try random.event(under: key).protoBytes(key: key)
            for bytes in self.variants(of: bytes, other, &random) {
                // when
                let read = Result { () throws(WireError) in try SubscriptionEvent(protoBytes: bytes, key: key) }
                let expected = Result { () throws(Refusal) in try SubscriptionEvent(reference: bytes, key: key) }
                // then
                try self.expectSame(read, expected, bytes)
            }
        }
    }

    @Test("states are read as SwiftProtobuf reads them", arguments: 0..<10)
    func states(seed: UInt64) throws {
        var random = Randomness(seed: seed)
        for _ in 0..<20 {
            // given
            let key = random.key()
            let bytes = StoredState(random.state(under: key)).protoBytes()
            let other = StoredState(random.state(under: key)).protoBytes()
            for bytes in self.variants(of: bytes, other, &random) {
                // when
                let read = Result { () throws(WireError) in try StoredState(protoBytes: bytes, key: key) }
                let expected = Result { () throws(Refusal) in try ReferenceState(bytes: bytes, key: key) }
                // then
                try self.expectSame(read.map(\.state), expected.map(\.state), bytes)
                try self.expectSame(read.map(\.logicVersion), expected.map(\.logicVersion), bytes)
            }
        }
    }

    @Test("changes may be written one by one as well")
    func unpackedChanges() throws {
        // given
        let source: [UInt8] = [0x10, 4]
        let (renewed, subscribed): ([UInt8], [UInt8]) = ([0x18, 7], [0x18, 2])
        // when
        let event = try SubscriptionEvent(protoBytes: renewed + source + subscribed, key: Samples.key)
        // then
        #expect(event.changes == [.renewed, .subscribed])
    }

    /// As they are, together with others, which protobuf takes for one message, and in disorder.
    private func variants(of bytes: [UInt8], _ other: [UInt8], _ random: inout Randomness) -> [[UInt8]] {
        [
            bytes, bytes + other, random.damaged(bytes), random.damaged(bytes), random.damaged(bytes + other),
            random.rearranged(bytes), random.rearranged(bytes), random.rearranged(bytes + other),
            random.damaged(random.rearranged(bytes)), random.list(upTo: 40) { $0.byte() },
        ]
    }

    private func expectSame<Value: Equatable>(
        _ read: Result<Value, WireError>, _ expected: Result<Value, Refusal>, _ bytes: [UInt8]
    ) throws {
        switch (read, expected) {
        case (.success(let value), .success(let expected)):
            try #require(isIdentical(value, expected), "\(bytes)")
        case (.failure(let error), .failure(let refusal)):
            // Of several faults in one message the reader may find another one first.
            try #require(error.code == refusal.code || !refusal.isOfBytes, "\(bytes)")
        default:
            Issue.record("read: \(read), expected: \(expected), of \(bytes)")
        }
    }
}
