import Subscriptions
import SwiftProtobuf
import Testing
import WireProtocol

@Suite struct StateRoundTripTests {
    @Test("any state comes back exactly, whatever its key", arguments: 0..<20)
    func anyState(seed: UInt64) throws {
        var random = Randomness(seed: seed)
        for _ in 0..<100 {
            // given
            let key = random.key()
            let state = random.state(under: key)
            // when
            let read = try StoredState(protoBytes: StoredState(state).protoBytes(), key: key)
            // then
            try #require(isIdentical(read.state, state))
            try #require(read.logicVersion == StreamState.logicVersion)
        }
    }

    @Test("a state of other rules says so")
    func otherRules() throws {
        // given
        var message = try ProtoStreamState(serializedBytes: StoredState(Samples.state()).protoBytes())
        message.logicVersion = 7
        // when
        let read = try StoredState(protoBytes: message.serializedBytes(), key: Samples.key)
        // then
        #expect(read.logicVersion == 7)
        #expect(read.state == Samples.state())
    }

    @Test("states are written as SwiftProtobuf writes them", arguments: 0..<20)
    func asSwiftProtobufDoes(seed: UInt64) throws {
        var random = Randomness(seed: seed)
        for _ in 0..<150 {
            let bytes = StoredState(random.state(under: Samples.key)).protoBytes()
            #expect(try ProtoStreamState(serializedBytes: bytes).serializedBytes() as [UInt8] == bytes)
        }
    }

    @Test("every beginning of a state reads as a state or is refused")
    func prefixes() throws {
        let bytes = StoredState(Samples.state()).protoBytes()
        for count in 0..<bytes.count { self.readOrRefuse(Array(bytes.prefix(count))) }
    }

    @Test("damaged states are read or refused, never more", arguments: 0..<8)
    func damage(seed: UInt64) throws {
        var random = Randomness(seed: seed)
        for _ in 0..<300 {
            let bytes = StoredState(random.state(under: Samples.key)).protoBytes()
            self.readOrRefuse(random.damaged(bytes))
        }
    }

    private func readOrRefuse(_ bytes: [UInt8]) {
        do throws(WireError) {
            // What could be read can be written as well.
            _ = try StoredState(protoBytes: bytes, key: Samples.key).protoBytes()
        } catch {
            #expect(error.code != .tooLarge)
        }
    }
}
