/// SplitMix64. The standard library promises no algorithm for its ranges and shuffles; this type promises that the same
/// seed gives the same sequence on any machine and with any compiler.
package struct SeededGenerator: RandomNumberGenerator, Hashable, Sendable {
    private var state: UInt64

    package init(seed: UInt64) { self.state = seed }

    /// A generator of its own for one of many things that share a seed, so that none depends on what the others drew.
    package init(seed: UInt64, stream: UInt64) {
        var mixed = SeededGenerator(seed: seed)
        self.state = mixed.next() ^ (stream &* 0xD1B5_4A32_D192_ED03)
        self.state = self.next()
    }

    package mutating func next() -> UInt64 {
        self.state &+= 0x9E37_79B9_7F4A_7C15
        var word = self.state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }

    /// Uniform in 0..<bound, apart from a bias far below what a simulation can show.
    package mutating func below(_ bound: Int64) -> Int64 {
        precondition(bound > 0, "an empty range has no element to draw")
        return Int64(self.next().multipliedFullWidth(by: UInt64(bound)).high)
    }

    package mutating func within(_ range: ClosedRange<Int64>) -> Int64 {
        range.lowerBound + self.below(range.upperBound - range.lowerBound + 1)
    }

    /// True with a probability given in thousandths.
    package mutating func chance(_ permille: Int64) -> Bool { self.below(1_000) < permille }

    /// Uniform in 0..<1, with 32 bits.
    package mutating func fraction() -> Double { Double(self.below(1 << 32)) / Double(1 << 32) }

    /// True with a probability from 0 to 1.
    package mutating func chance(of probability: Double) -> Bool { self.fraction() < probability }

    package mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int(self.below(Int64(elements.count)))]
    }

    /// A version 4 UUID in lower case.
    package mutating func uuid() -> String {
        let high = self.next() & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
        let low = self.next() & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
        var text = ""
        text.reserveCapacity(36)
        for position in 0..<32 {
            if [8, 12, 16, 20].contains(position) { text.append("-") }
            let word = position < 16 ? high : low
            let nibble = UInt8(truncatingIfNeeded: word >> (60 - 4 * UInt64(position % 16))) & 0xF
            text.unicodeScalars.append(Unicode.Scalar(nibble < 10 ? 0x30 + nibble : 0x57 + nibble))
        }
        return text
    }
}
