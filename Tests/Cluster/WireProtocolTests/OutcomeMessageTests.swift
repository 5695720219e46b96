import EventLog
import SwiftProtobuf
import Testing
import WireProtocol

@Suite struct OutcomeMessageTests {
    @Test("any outcome crosses exactly, in the bytes that SwiftProtobuf writes", arguments: 0..<10)
    func crosses(seed: UInt64) throws {
        var random = Randomness(seed: seed)
        for _ in 0..<200 {
            // given
            let outcome = random.outcome()
            // when
            let bytes = outcome.wireBytes()
            // then
            #expect(try OutcomeMessage(wireBytes: bytes) == outcome)
            #expect(try ProtoSubmissionOutcome(serializedBytes: bytes).serializedBytes() as [UInt8] == bytes)
            _ = try? OutcomeMessage(wireBytes: random.damaged(bytes))
        }
    }

    @Test("the numbers of the schema")
    func schema() throws {
        var proto = ProtoSubmissionOutcome()
        proto.recorded.version = 7
        proto.recorded.sequence = 4_711
        #expect(
            try OutcomeMessage(wireBytes: proto.serializedBytes())
                == .recorded(.init(rawValue: 7), .init(rawValue: 4_711)))
        proto.duplicate.sequence = 1
        #expect(try OutcomeMessage(wireBytes: proto.serializedBytes()) == .duplicate(.zero, .init(rawValue: 1)))
        proto.refused.code = "overloaded"
        proto.refused.message = "too much"
        #expect(
            try OutcomeMessage(wireBytes: proto.serializedBytes()) == .refused(code: "overloaded", message: "too much"))
    }

    @Test("of several outcomes the last counts, as everywhere in Protocol Buffers, and parts of one are merged")
    func several() throws {
        let (first, last) = (
            OutcomeMessage.recorded(.init(rawValue: 1), .zero), OutcomeMessage.recorded(.zero, .init(rawValue: 2))
        )
        let refusal = OutcomeMessage.refused(code: "frozen", message: "")
        #expect(
            try OutcomeMessage(wireBytes: first.wireBytes() + last.wireBytes())
                == .recorded(.init(rawValue: 1), .init(rawValue: 2)))
        #expect(try OutcomeMessage(wireBytes: first.wireBytes() + refusal.wireBytes()) == refusal)
    }

    @Test("an outcome that this version does not know is none")
    func unknown() throws {
        // A field 9 of two bytes.
        #expect(try OutcomeMessage(wireBytes: [0x4A, 2, 0, 0]) == .unknown)
        #expect(try OutcomeMessage(wireBytes: []) == .unknown)
        #expect(throws: WireError.self) { try OutcomeMessage(wireBytes: [0x0A, 200]) }
    }
}

extension Randomness {
    fileprivate mutating func outcome() -> OutcomeMessage {
        let place = (StreamVersion(rawValue: self.integer()), LogSequence(rawValue: self.integer()))
        return switch Int.random(in: 0..<4, using: &self) {
        case 0: .recorded(place.0, place.1)
        case 1: .duplicate(place.0, place.1)
        case 2: .refused(code: self.text(), message: self.text())
        default: .unknown
        }
    }
}
