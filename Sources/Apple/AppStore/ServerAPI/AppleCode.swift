/// Apple's `errorCode`.
struct AppleCode: Hashable, Sendable {
    let rawValue: Int64

    init(_ rawValue: Int64) { self.rawValue = rawValue }

    static let testNotificationNotFound = AppleCode(4_040_008)
    static let transactionIDNotFound = AppleCode(4_040_010)

    /// Apple: may be repeated unchanged.
    var isRetryable: Bool {
        switch self.rawValue {
        case 4_040_002, 4_040_004, 4_040_006, 5_000_001: true
        default: self.status == 429
        }
    }

    /// The HTTP status that its leading three digits stand for, of codes that are not known too; nil when they stand
    /// for none.
    var status: Int? {
        let status = Int(self.rawValue / 10_000)
        return (400..<600).contains(status) ? status : nil
    }
}
