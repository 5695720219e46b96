import Foundation

/// A number of 32 bytes, for what is at the edges of arithmetic.
struct Edge: CustomStringConvertible, Sendable {
    let bytes: Data

    init(_ bytes: Data) { self.bytes = Data(bytes) }

    init(_ small: UInt8) { self.bytes = Data(repeating: 0, count: 31) + [small] }

    /// - Precondition: 64 hexadecimal digits.
    init(_ text: String) {
        let digits = Array(text)
        self.bytes = Data(stride(from: 0, to: 64, by: 2).map { UInt8(String(digits[$0...$0 + 1]), radix: 16)! })
    }

    var description: String { self.bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() }

    /// From 1 to n − 1.
    var isScalar: Bool {
        self.bytes.contains { $0 != 0 } && self.bytes.lexicographicallyPrecedes(Edges.order.bytes)
    }

    func adding(_ other: Edge) -> Edge { self.combined(other) { $0 + $1 + $2 } }

    func subtracting(_ other: Edge) -> Edge { self.combined(other) { $0 - $1 + $2 } }

    /// Modulo 2²⁵⁶.
    private func combined(_ other: Edge, _ step: (Int, Int, Int) -> Int) -> Edge {
        var carry = 0
        var bytes = Data(count: 32)
        for place in (0..<32).reversed() {
            let sum = step(Int(self.bytes[place]), Int(other.bytes[place]), carry)
            bytes[place] = UInt8(truncatingIfNeeded: sum)
            carry = sum >> 8
        }
        return Edge(bytes)
    }
}

enum Edges {
    /// n of P-256 (NIST SP 800-186 §3.2.1.3).
    static let order = Edge("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551")
    /// p of P-256.
    static let prime = Edge("ffffffff00000001000000000000000000000000ffffffffffffffffffffffff")

    /// Zero, the smallest, those around n and p, digits at which a table turns to negative ones, and the greatest.
    static let numbers = [
        Edge(0), Edge(1), Edge(2), Edge(127), Edge(128), Edge(129), Edge(255),
        order.subtracting(Edge(1)), order, order.adding(Edge(1)), prime.subtracting(Edge(1)), prime,
        Edge(String(repeating: "80", count: 32)), Edge(String(repeating: "7f", count: 31) + "80"),
        Edge(String(repeating: "81", count: 32)), Edge(String(repeating: "ff", count: 32)),
        Edge("8" + String(repeating: "0", count: 63)), Edge("7" + String(repeating: "f", count: 63)),
    ]

    /// Private keys.
    static let keys = numbers.filter(\.isScalar)
}
