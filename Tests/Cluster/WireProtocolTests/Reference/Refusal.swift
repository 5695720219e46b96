import SwiftProtobuf
import WireProtocol

/// Why the reference does not read some bytes.
struct Refusal: Error {
    let code: WireError.Code
    /// These bytes are no message at all, whatever a message may say.
    var isOfBytes = false

    init(_ code: WireError.Code, _ message: String) { self.code = code }
}

extension SwiftProtobuf.Message {
    init(reference bytes: [UInt8]) throws(Refusal) {
        do {
            try self.init(serializedBytes: bytes)
        } catch {
            var refusal = Refusal(.malformed, "not a message")
            refusal.isOfBytes = true
            throw refusal
        }
    }
}
