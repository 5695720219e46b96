/// Numbers and words of Apple's that may grow: each keeps what it was given, and prints an unknown one as `unknown:9`.

/// Apple's `status` of an auto-renewable subscription.
package struct AppleStatus: RawRepresentable, Hashable, Comparable, Sendable {
    package let rawValue: Int64
    package init(rawValue: Int64) { self.rawValue = rawValue }
    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    package static let active = AppleStatus(rawValue: 1)
    package static let expired = AppleStatus(rawValue: 2)
    package static let billingRetry = AppleStatus(rawValue: 3)
    package static let billingGracePeriod = AppleStatus(rawValue: 4)
    package static let revoked = AppleStatus(rawValue: 5)
}

/// Apple's `offerType`.
package struct OfferType: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    package let rawValue: Int64
    package init(rawValue: Int64) { self.rawValue = rawValue }

    package static let introductory = OfferType(rawValue: 1)
    package static let promotional = OfferType(rawValue: 2)
    package static let offerCode = OfferType(rawValue: 3)
    package static let winBack = OfferType(rawValue: 4)

    package var description: String {
        switch self {
        case .introductory: "introductory"
        case .promotional: "promotional"
        case .offerCode: "offerCode"
        case .winBack: "winBack"
        default: "unknown:\(self.rawValue)"
        }
    }
}

/// Apple's `expirationIntent`.
package struct ExpirationIntent: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    package let rawValue: Int64
    package init(rawValue: Int64) { self.rawValue = rawValue }

    package static let customerCancelled = ExpirationIntent(rawValue: 1)
    package static let billingError = ExpirationIntent(rawValue: 2)
    package static let priceIncreaseNotAccepted = ExpirationIntent(rawValue: 3)
    package static let productNotForSale = ExpirationIntent(rawValue: 4)
    package static let other = ExpirationIntent(rawValue: 5)

    package var description: String {
        switch self {
        case .customerCancelled: "customerCancelled"
        case .billingError: "billingError"
        case .priceIncreaseNotAccepted: "priceIncreaseNotAccepted"
        case .productNotForSale: "productNotForSale"
        case .other: "other"
        default: "unknown:\(self.rawValue)"
        }
    }
}

/// Apple's `revocationReason`.
package struct RevocationReason: RawRepresentable, Hashable, Sendable {
    package let rawValue: Int64
    package init(rawValue: Int64) { self.rawValue = rawValue }

    package static let other = RevocationReason(rawValue: 0)
    package static let appIssue = RevocationReason(rawValue: 1)
}
