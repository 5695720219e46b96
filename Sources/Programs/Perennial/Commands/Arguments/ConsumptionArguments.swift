import ArgumentParser

/// Whether a purchase was delivered, as a command line says it.
enum DeliveryArgument: String, ExpressibleByArgument, CaseIterable {
    case delivered
    case qualityIssue = "quality-issue"
    case wrongItem = "wrong-item"
    case serverOutage = "server-outage"
    case other

    /// Apple's `deliveryStatus`.
    var status: String {
        switch self {
        case .delivered: "DELIVERED"
        case .qualityIssue: "UNDELIVERED_QUALITY_ISSUE"
        case .wrongItem: "UNDELIVERED_WRONG_ITEM"
        case .serverOutage: "UNDELIVERED_SERVER_OUTAGE"
        case .other: "UNDELIVERED_OTHER"
        }
    }
}

/// What a publisher would have Apple decide, as a command line says it.
enum RefundArgument: String, ExpressibleByArgument, CaseIterable {
    case decline, full, prorated

    /// Apple's `refundPreference`.
    var preference: String {
        switch self {
        case .decline: "DECLINE"
        case .full: "GRANT_FULL"
        case .prorated: "GRANT_PRORATED"
        }
    }
}

/// A part of a hundred with at most three decimals, such as `12.5`.
struct PercentArgument: ExpressibleByArgument {
    let thousandths: Int64

    init?(argument: String) {
        let parts = argument.split(separator: ".", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), (1...3).contains(parts[0].utf8.count),
            parts.dropFirst().allSatisfy({ (1...3).contains($0.utf8.count) }),
            parts.allSatisfy({ $0.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } })
        else { return nil }
        let decimals = parts.count == 2 ? parts[1] + String(repeating: "0", count: 3 - parts[1].utf8.count) : "000"
        guard let thousandths = Int64(parts[0] + decimals), thousandths <= 100_000 else { return nil }
        self.thousandths = thousandths
    }
}
