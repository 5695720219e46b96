/// The signatures of a payload and of those within it, in the order in which they are made. Who signs the same once more
/// with the signatures of the first time gets the same text, for much less work.
struct Signatures: Sendable {
    /// r‖s of a P-256 signature.
    private static let length = 64

    private var bytes: [UInt8] = []
    private var used = 0

    /// To the first one.
    mutating func rewind() { self.used = 0 }

    mutating func next<Signature: Sequence<UInt8>>(_ make: () throws -> Signature) rethrows -> ArraySlice<UInt8> {
        if self.used == self.bytes.count { self.bytes += try make() }
        self.used += Self.length
        return self.bytes[(self.used - Self.length)..<self.used]
    }
}
