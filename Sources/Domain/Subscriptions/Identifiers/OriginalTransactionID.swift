/// Names one subscription for its whole life, across renewals and devices (Apple's `originalTransactionId`).
/// Unique only together with environment and bundle: see `StreamKey`.
package struct OriginalTransactionID: RawRepresentable, Hashable, Comparable, Sendable {
    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }

    /// nil unless `text` is 1…128 visible ASCII characters, the only form in which ids are accepted from outside.
    package init?(validating text: String) {
        guard text.isIdentifier else { return nil }
        self.rawValue = text
    }

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// One purchase or renewal (Apple's `transactionId`).
package struct TransactionID: RawRepresentable, Hashable, Comparable, Sendable {
    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }

    /// nil unless `text` is 1…128 visible ASCII characters.
    package init?(validating text: String) {
        guard text.isIdentifier else { return nil }
        self.rawValue = text
    }

    /// By length, then bytes, so that numbers come in their order.
    package static func < (left: Self, right: Self) -> Bool { left.rawValue.isNumberedBefore(right.rawValue) }
}

/// An app (Apple's `bundleId`).
package struct BundleID: RawRepresentable, Hashable, Comparable, Sendable {
    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }

    /// nil unless `text` is 1…128 visible ASCII characters.
    package init?(validating text: String) {
        guard text.isIdentifier else { return nil }
        self.rawValue = text
    }

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

extension String {
    /// By length, then bytes: the order of numbers without leading zeros.
    func isNumberedBefore(_ other: String) -> Bool {
        let (count, otherCount) = (self.utf8.count, other.utf8.count)
        return count == otherCount ? self < other : count < otherCount
    }

    /// 1…128 visible ASCII characters (domain rule for every identifier).
    package var isIdentifier: Bool {
        let bytes = self.utf8
        return (1...128).contains(bytes.count) && bytes.allSatisfy { (0x21...0x7E).contains($0) }
    }
}
