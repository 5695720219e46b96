import Crypto
import Foundation

/// SplitMix64 (Steele, Lea, Flood 2014): the same numbers for the same seed.
struct Numbers: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { self.state = seed }

    mutating func next() -> UInt64 {
        self.state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = self.state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in .random(in: 0...255, using: &self) } }

    mutating func scalar() -> Data {
        while true {
            let edge = Edge(Data(self.bytes(32)))
            if edge.isScalar { return edge.bytes }
        }
    }
}

extension SHA256.Digest {
    /// A digest that was computed elsewhere, or is none.
    init(_ bytes: [UInt8]) {
        precondition(bytes.count == Self.byteCount)
        self = bytes.withUnsafeBytes { $0.loadUnaligned(as: Self.self) }
    }
}
