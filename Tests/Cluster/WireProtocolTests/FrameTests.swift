import SwiftProtobuf
import Testing
import WireProtocol

/// Frames are written and read by hand: the generated code says what they have to be.
@Suite struct FrameTests {
    @Test(arguments: 0..<400 as Range<UInt64>)
    func writesWhatTheGeneratedCodeReads(seed: UInt64) throws {
        // given
        var random = FrameRandomness(seed: seed)
        let frame = random.frame()
        // when
        let proto = try ProtoFrame(serializedBytes: frame.written)
        // then
        #expect(Frame(proto) == frame)
    }

    @Test(arguments: 0..<400 as Range<UInt64>)
    func readsWhatTheGeneratedCodeWrites(seed: UInt64) throws {
        // given
        var random = FrameRandomness(seed: seed)
        let proto = random.proto()
        // when
        let frame = try Frame(decoding: proto.serializedBytes())
        // then
        #expect(frame == Frame(proto))
    }

    @Test(arguments: 0..<100 as Range<UInt64>)
    func passesOverFieldsThatItDoesNotKnow(seed: UInt64) throws {
        // given: fields of every wire type after, and nested in a call
        var random = FrameRandomness(seed: seed)
        var proto = random.proto()
        let unknown: [UInt8] = [0xF8, 7, 5, 0xF9, 7, 1, 1, 1, 1, 1, 1, 1, 1, 0xFA, 7, 2, 9, 9, 0xFD, 7, 1, 1, 1, 1]
        if !proto.calls.isEmpty {
            let call = try proto.calls[0].serializedBytes() + unknown
            proto.calls[0] = try ProtoCall(serializedBytes: call)
        }
        let bytes: [UInt8] = try proto.serializedBytes() + unknown
        // when, then
        #expect(try Frame(decoding: bytes) == Frame(proto))
    }

    /// Never more than an error, and what is no frame for the generated code is none.
    @Test(arguments: 0..<200 as Range<UInt64>)
    func refusesWhatIsNoFrame(seed: UInt64) throws {
        // given
        var random = FrameRandomness(seed: seed)
        let bytes = random.frame().written
        for _ in 0..<100 {
            // when
            let mutated = random.mutated(bytes)
            let frame = try? Frame(decoding: mutated)
            // then
            if let frame {
                let proto = try ProtoFrame(serializedBytes: mutated)
                #expect(frame.header.node == proto.node && frame.calls.count == proto.calls.count)
                #expect(frame.cancelled == proto.cancelled)
            }
        }
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func readsNoBatchWhereThereIsNone(seed: UInt64) throws {
        // given
        var random = FrameRandomness(seed: seed)
        let batch = CommandBatch((0..<Int.random(in: 0..<20, using: &random)).map { _ in random.bytes() })
        let bytes = batch.wireBytes()
        // when, then
        #expect(try CommandBatch(wireBytes: bytes).items == batch.items)
        #expect(try ProtoBatch(serializedBytes: bytes).items.map(Array.init) == batch.items)
        for _ in 0..<50 {
            let mutated = random.mutated(bytes)
            if let items = try? CommandBatch(wireBytes: mutated).items {
                #expect(try ProtoBatch(serializedBytes: mutated).items.map(Array.init) == items)
            }
        }
    }
}
