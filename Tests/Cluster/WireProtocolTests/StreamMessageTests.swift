import EventLog
import Foundation
import SwiftProtobuf
import Testing
import WireProtocol

/// What subscribers in other languages read with generated code is written and read by hand here.
@Suite struct StreamMessageTests {
    @Test(arguments: 0..<300 as Range<UInt64>)
    func publishesWhatTheGeneratedCodeReads(seed: UInt64) throws {
        // given
        var random = StreamRandomness(seed: seed)
        let (delta, beat) = (random.delta(), random.beat())
        let shard = ShardID(rawValue: UInt16(seed))
        // when
        let (published, beaten) = (delta.published(in: shard), beat.published())
        // then
        #expect(StreamTopic(published) == .shard(shard))
        #expect(StreamTopic(beaten) == .beat)
        #expect(try ProtoDelta(serializedBytes: Array(published.dropFirst(StreamTopic.size))) == delta.proto)
        #expect(try ProtoBeat(serializedBytes: Array(beaten.dropFirst(StreamTopic.size))) == beat.proto)
    }

    @Test(arguments: 0..<300 as Range<UInt64>)
    func writesQuestionsAndAnswersThatTheGeneratedCodeReads(seed: UInt64) throws {
        // given
        var random = StreamRandomness(seed: seed)
        let (request, answer) = (random.request(), random.answer())
        // when, then
        #expect(try ProtoStreamRequest(serializedBytes: request.encoded()) == request.proto)
        #expect(try ProtoStreamAnswer(serializedBytes: answer.encoded()) == answer.proto)
    }

    @Test(arguments: 0..<300 as Range<UInt64>)
    func readsWhatTheGeneratedCodeWrites(seed: UInt64) throws {
        // given: with a field of a newer version, and a message that Protocol Buffers merges
        var random = StreamRandomness(seed: seed)
        let unknown: [UInt8] = [0xF8, 7, 5, 0xFA, 7, 2, 9, 9]
        let (delta, beat, request, answer) = (random.delta(), random.beat(), random.request(), random.answer())
        let half: [UInt8] = try ProtoDelta.with { $0.origin = delta.origin.proto }.serializedBytes()
        // when, then
        #expect(try StreamDelta(decoding: half + delta.proto.serializedBytes() + unknown) == delta)
        #expect(try StreamBeat(decoding: beat.proto.serializedBytes() + unknown) == beat)
        #expect(try StreamRequest(decoding: request.proto.serializedBytes() + unknown) == request)
        #expect(try StreamAnswer(decoding: answer.proto.serializedBytes() + unknown) == answer)
    }

    @Test(arguments: 0..<300 as Range<UInt64>)
    func whatAnswersByCustomerNeedIsReadAndWrittenAlike(seed: UInt64) throws {
        // given
        var random = StreamRandomness(seed: seed)
        let image = random.customerImage()
        let unknown: [UInt8] = [0xF8, 7, 5]
        // when, then
        #expect(try ProtoCustomerImage(serializedBytes: image.encoded()) == image.proto)
        #expect(try CustomerImage(decoding: image.proto.serializedBytes() + unknown) == image)
        // and what is neither is refused, or read as the generated code does
        for _ in 0..<50 {
            let mutated = random.random.mutated(image.encoded())
            guard let read = try? CustomerImage(decoding: mutated) else { continue }
            #expect(try ProtoCustomerImage(serializedBytes: mutated).version == read.version.rawValue)
        }
    }

    @Test(arguments: [[9] + [UInt8](repeating: 1, count: 16), [1, 2, 3], []])
    func takesIdentifiersThatItDoesNotKnowForAny(_ identifier: [UInt8]) throws {
        // given
        var random = StreamRandomness(seed: 1)
        var delta = random.delta()
        delta.image.lookups = []
        var proto = delta.proto
        #expect(try StreamDelta(decoding: proto.serializedBytes()).image.lookups == [])
        // when
        proto.image.leads.identifiers.append(Data(identifier))
        // then
        #expect(try StreamDelta(decoding: proto.serializedBytes()).image.lookups == nil)
    }

    /// Whoever sends garbage gets an error out of us, never more.
    @Test(arguments: 0..<100 as Range<UInt64>)
    func refusesWhatIsNoRequest(seed: UInt64) throws {
        var random = StreamRandomness(seed: seed)
        let bytes = random.request().encoded()
        for _ in 0..<50 {
            // given
            let mutated = random.random.mutated(bytes)
            // when
            guard let request = try? StreamRequest(decoding: mutated) else { continue }
            // then
            #expect(try ProtoStreamRequest(serializedBytes: mutated).id == request.id)
        }
    }
}
