import HTTPTypes
import Hummingbird

/// Names a request in logs and in its answer: the caller's `X-Request-Id` where it is harmless, else one of ours.
struct RequestID: Hashable, Sendable {
    let text: String

    /// A caller's id is taken when it is 1…128 letters, digits or any of `-_.:=+/`: others could forge a log line.
    init(_ headers: HTTPFields) {
        if let given = headers[.requestID], (1...128).contains(given.utf8.count), given.utf8.allSatisfy(Self.isPlain) {
            self.text = given
        } else {
            self.text =
                String(UInt64.random(in: .min ... .max), radix: 36)
                + String(UInt64.random(in: .min ... .max), radix: 36)
        }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."),
            UInt8(ascii: ":"), UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "/"):
            true
        default: false
        }
    }
}

extension HTTPField.Name {
    static let requestID = HTTPField.Name("X-Request-Id")!
    static let atLeast = HTTPField.Name("Perennial-At-Least")!
}
