import Subscriptions
import Testing
import WireProtocol

/// Bytes as stores hold them. These literals never change: a version that cannot read them cannot open those stores.
@Suite struct StoredFormatTests {
    @Test("stored events stay readable", arguments: StoredSamples.events)
    func event(_ stored: StoredSample<SubscriptionEvent>) throws {
        let written = try stored.value.protoBytes(key: Samples.key)
        let read = try? SubscriptionEvent(protoBytes: stored.bytes, key: Samples.key)
        #expect(read == stored.value, "written today: \(self.hexadecimal(written))")
    }

    @Test("a stored state stays readable")
    func state() throws {
        let written = StoredState(Samples.state()).protoBytes()
        let stored = try? StoredState(protoBytes: StoredSamples.state.bytes, key: Samples.key)
        #expect(stored?.state == StoredSamples.state.value, "written today: \(self.hexadecimal(written))")
        #expect(stored?.logicVersion == 1)
    }

    @Test(arguments: zip(StoredSamples.revocations, [4, 6]))
    func `a stored state with copies and revocations stays readable`(
        _ sample: StoredSample<StreamState>, _ logicVersion: Int
    ) throws {
        let written = StoredState(sample.value).protoBytes()
        let stored = try? StoredState(protoBytes: sample.bytes, key: Samples.key)
        #expect(stored?.state == sample.value, "written today: \(self.hexadecimal(written))")
        #expect(stored?.logicVersion == logicVersion)
    }

    private func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}

struct StoredSample<Value: Sendable>: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let value: Value
    let bytes: [UInt8]

    /// - Parameter hexadecimal: may hold white space.
    init(_ testDescription: String, _ value: Value, _ hexadecimal: String) {
        self.testDescription = testDescription
        self.value = value
        let digits = hexadecimal.compactMap(\.hexDigitValue)
        self.bytes = stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}
