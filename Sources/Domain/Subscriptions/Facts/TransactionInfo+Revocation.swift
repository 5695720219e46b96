extension TransactionInfo {
    /// When and why a payment was taken back, or access by it.
    package struct Revocation: Hashable, Sendable {
        package var date: Moment
        package var reason: RevocationReason?
        package var type: String?
        /// Thousandths of a percent.
        package var percentage: Int64?

        package init(date: Moment, reason: RevocationReason?, type: String?, percentage: Int64?) {
            self.date = date
            self.reason = reason
            self.type = type
            self.percentage = percentage
        }
    }

    /// The four `revocation…` fields as one.
    package var revocation: Revocation? {
        self.revocationDate.map { date in
            Revocation(
                date: date, reason: self.revocationReason, type: self.revocationType,
                percentage: self.revocationPercentage)
        }
    }
}

extension TransactionInfo.Fields {
    mutating func revoke(_ revocation: TransactionInfo.Revocation?) {
        self.revocationDate = revocation?.date
        self.revocationReason = revocation?.reason
        self.revocationType = revocation?.type
        self.revocationPercentage = revocation?.percentage
    }
}
