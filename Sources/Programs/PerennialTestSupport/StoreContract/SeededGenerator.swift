/// SplitMix64: the same numbers from the same seed, on every machine.
package struct SeededGenerator: RandomNumberGenerator {
    package static let digits = Array("0123456789".utf8)
    package static let base64 = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    private var state: UInt64

    package init(seed: UInt64) { self.state = seed }

    package mutating func next() -> UInt64 {
        self.state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = self.state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    package mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: self.next()) }
    }

    package mutating func text(_ count: Int, of letters: [UInt8]) -> String {
        let text = (0..<count).map { _ in letters[Int(self.next() % UInt64(letters.count))] }
        return String(decoding: text, as: UTF8.self)
    }

    package mutating func uuid() -> String {
        let digits = self.text(32, of: Array("0123456789abcdef".utf8))
        return [(0, 8), (8, 12), (12, 16), (16, 20), (20, 32)]
            .map { String(digits.dropFirst($0).prefix($1 - $0)) }.joined(separator: "-")
    }
}
