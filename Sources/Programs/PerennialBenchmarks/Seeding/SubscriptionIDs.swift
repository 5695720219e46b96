/// The ids of seeded subscriptions: 16 digits, as Apple's, in a range that the simulator does not use.
struct SubscriptionIDs: Sendable {
    let count: Int

    subscript(index: Int) -> String { String(9_000_000_000_000_000 + index) }

    /// Every index once, in an order that is the same in every run.
    func shuffled() -> [Int] {
        var random = RandomNumbers(seed: 7)
        return (0..<self.count).shuffled(using: &random)
    }
}

/// SplitMix64: good enough for an order.
private struct RandomNumbers: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { self.state = seed }

    mutating func next() -> UInt64 {
        self.state &+= 0x9E37_79B9_7F4A_7C15
        var bits = self.state
        bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
        return bits ^ bits >> 31
    }
}
