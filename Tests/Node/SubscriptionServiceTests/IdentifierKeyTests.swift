import Crypto
import EventLog
import PerennialTestSupport
import Subscriptions
import Testing

@Suite struct IdentifierKeyTests {
    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `a hash is HMAC-SHA-256 over kind and text, cut`(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let bytes = (0..<32).map { _ in UInt8.random(in: 0...255, using: &random) }
        let key = try #require(IdentifierKey(bytes))
        for kind in IdentifierHash.Kind.allCases {
            for text in ["", "u-1001", "Zürich 🏔", String(repeating: "x", count: Int(seed) * 9)] {
                let code = HMAC<SHA256>.authenticationCode(
                    for: [kind.rawValue] + Array(text.utf8), using: SymmetricKey(data: bytes))
                #expect(key.hash(kind, text).bytes == Array(code.prefix(16)))
            }
        }
    }
}
