/// Damages bytes as accidents and attackers do, from a seed.
struct Mutator {
    var random: SplitMix

    init(seed: UInt64) { self.random = SplitMix(state: seed) }

    mutating func mutate(_ original: [UInt8]) -> [UInt8] {
        var bytes = original
        for _ in 0..<Int.random(in: 1...3, using: &self.random) {
            guard !bytes.isEmpty else { return [self.byte()] }
            let position = Int.random(in: 0..<bytes.count, using: &self.random)
            let end = min(bytes.count, position + Int.random(in: 1...16, using: &self.random))
            switch Int.random(in: 0..<8, using: &self.random) {
            case 0: bytes[position] ^= 1 << UInt8.random(in: 0..<8, using: &self.random)
            case 1: bytes[position] = self.byte()
            case 2: bytes.insert(self.byte(), at: position)
            case 3: bytes.removeSubrange(position..<end)
            case 4: bytes.insert(contentsOf: bytes[position..<end], at: position)
            case 5: bytes.removeSubrange(position...)
            case 6: bytes.swapAt(position, Int.random(in: 0..<bytes.count, using: &self.random))
            default: bytes.replaceSubrange(position..<end, with: Self.pieces.randomElement(using: &self.random)!)
            }
        }
        return bytes
    }

    private mutating func byte() -> UInt8 { .random(in: 0...255, using: &self.random) }

    /// What parsers stumble over.
    private static let pieces: [[UInt8]] = [
        [0], [0xFF], [0x80], [0x30, 0x80], [0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF], [0x02, 0x00], [0xC0, 0x80],
        [0xED, 0xA0, 0x80],
        Array("\"".utf8), Array("\\".utf8), Array("\\ud800".utf8), Array("\\u0000".utf8), Array("{".utf8),
        Array("[[[[".utf8),
        Array("}".utf8), Array(",".utf8), Array(":".utf8), Array("null".utf8), Array("-".utf8), Array("1e999".utf8),
        Array("9223372036854775808".utf8), Array(".".utf8), Array("..".utf8), Array("=".utf8), Array("ES256".utf8),
    ]
}

struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        self.state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = self.state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
