import HTTPTypes
import Synchronization

/// Names a request in logs and in its answer: the caller's `X-Request-Id` where it is harmless, else one of ours.
struct RequestID: Hashable, Sendable {
    let text: String

    /// A caller's id is taken when it is 1…128 letters, digits or any of `-_.:=+/`: others could forge a log line.
    init(_ fields: RequestFields) {
        if let given = fields.requestID, (1...128).contains(given.utf8.count), given.utf8.allSatisfy(Self.isPlain) {
            self.text = given
        } else {
            self.text = Self.next()
        }
    }

    private static let first = UInt64.random(in: .min ... .max)
    private static let count = Atomic<UInt64>(0)
    private static let digits: StaticString = "0123456789abcdefghijklmnopqrstuvwxyz"

    /// The next number of this process, mixed, so that neighbours do not look alike and two processes hardly ever meet;
    /// random bits for each would cost a system call. 13 digits to the base of 36.
    private static func next() -> String {
        let number = self.count.wrappingAdd(1, ordering: .relaxed).newValue
        var mixed = self.first &+ number &* 0x9E37_79B9_7F4A_7C15
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        mixed ^= mixed >> 31
        return String(unsafeUninitializedCapacity: 13) { text in
            for place in 0..<13 {
                text[place] = self.digits.utf8Start[Int(mixed % 36)]
                mixed /= 36
            }
            return 13
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
}
