package import Subscriptions

/// Format 2, by hand because every event of the log carries a row:
///
///     2, fingerprint of the rules (4 bytes), version, from of the first phase, count of products, (length, UTF-8)…, count of phases,
///     (milliseconds since the phase before, state | entitled << 3 | offer << 4, code + 9 | product << 4)…
///
/// Numbers are little-endian base-128 varints, the moment zigzag; product 0 is none, 1 the first. Format 1, which lacks
/// the fingerprint, is read as well.
extension EntitlementRow {
    private static let format: UInt8 = 2
    private static let formatWithoutFingerprint: UInt8 = 1
    /// In the order of their numbers.
    package static let states: [LifecycleState] = [.subscribed, .grace, .retry, .expired, .revoked, .owned]

    /// - Parameter fingerprint: of the rules that the row was made with.
    package func encoded(under fingerprint: RulesFingerprint) -> [UInt8] {
        var products = [String]()
        for case let product? in self.phases.map(\.productID) where !products.contains(product) && products.count < 15 {
            products.append(product)
        }
        var bytes = [Self.format]
        withUnsafeBytes(of: fingerprint.rawValue.littleEndian) { bytes.append(contentsOf: $0) }
        bytes.appendVarint(UInt64(bitPattern: self.version))
        let first = self.phases.first?.from ?? Moment(milliseconds: 0)
        bytes.appendVarint(UInt64(bitPattern: first.milliseconds << 1 ^ first.milliseconds >> 63))
        bytes.appendVarint(UInt64(products.count))
        for product in products {
            bytes.appendVarint(UInt64(product.utf8.count))
            bytes.append(contentsOf: product.utf8)
        }
        bytes.appendVarint(UInt64(self.phases.count))
        var previous = first
        for phase in self.phases {
            bytes.appendVarint(UInt64(bitPattern: phase.from.milliseconds &- previous.milliseconds))
            let state = UInt8(Self.states.firstIndex(of: phase.state) ?? 0)
            bytes.append(state | (phase.entitled ? 8 : 0) | UInt8(phase.code.offer) << 4)
            let product = phase.productID.flatMap(products.firstIndex).map { UInt8($0) + 1 } ?? 0
            bytes.append(UInt8(phase.code.state + 9) | product << 4)
            previous = phase.from
        }
        return bytes
    }

    /// What the row that `bytes` encode was computed by; nil when they do not say.
    package static func fingerprint(of bytes: [UInt8]) -> RulesFingerprint? {
        guard bytes.count > 4, bytes[0] == Self.format else { return nil }
        return RulesFingerprint(rawValue: bytes[1...4].reversed().reduce(0) { $0 << 8 | UInt32($1) })
    }

    /// - Throws: `EntitlementRowError` for bytes that `encoded` does not write; it never traps.
    package init(decoding bytes: [UInt8]) throws(EntitlementRowError) {
        var reader = VarintReader(bytes: bytes[...])
        switch try reader.byte() {
        case Self.format: for _ in 0..<4 { _ = try reader.byte() }
        case Self.formatWithoutFingerprint: break
        default: throw .unknownFormat
        }
        let version = Int64(bitPattern: try reader.varint())
        let zigzag = try reader.varint()
        var from = Int64(bitPattern: zigzag >> 1) ^ -Int64(bitPattern: zigzag & 1)
        var products = [String]()
        for _ in 0..<(try reader.count(atMost: 15)) {
            products.append(try reader.text(try reader.count(atMost: 128)))
        }
        var phases = [Phase]()
        for _ in 0..<(try reader.count(atMost: 255)) {
            let (sum, _) = from.addingReportingOverflow(Int64(bitPattern: try reader.varint()))
            guard phases.isEmpty || from <= sum else { throw .malformed }
            from = sum
            let (first, second) = (try reader.byte(), try reader.byte())
            let (state, offer, code, product) = (
                Int(first & 7), Int(first >> 4), Int(second & 15) - 9, Int(second >> 4)
            )
            guard Self.states.indices.contains(state), offer <= 5, code <= 5, product <= products.count else {
                throw .malformed
            }
            phases.append(
                Phase(
                    from: Moment(milliseconds: from), state: Self.states[state], entitled: first & 8 != 0,
                    code: CohortCode(state: code, offer: offer),
                    productID: product == 0 ? nil : products[product - 1]))
        }
        guard reader.isAtEnd else { throw .malformed }
        self.init(version: version, phases: phases)
    }
}

package enum EntitlementRowError: Error {
    /// Written by a newer binary.
    case unknownFormat
    case malformed
}
