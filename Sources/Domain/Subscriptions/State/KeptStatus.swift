/// S: Apple's newest `status`, with what its own transaction said then: a later version with another end ends S.
package struct KeptStatus: Hashable, Comparable, Sendable {
    package var observation: StatusObservation
    /// The period of the newest transaction that came with it, and what that transaction said of its end.
    package var period: PeriodID?
    package var expiresDate: Moment?
    package var revocationDate: Moment?

    package init(
        observation: StatusObservation, period: PeriodID?, expiresDate: Moment?, revocationDate: Moment?
    ) {
        self.observation = observation
        self.period = period
        self.expiresDate = expiresDate
        self.revocationDate = revocationDate
    }

    init(_ observation: StatusObservation, with transactions: [TransactionInfo]) {
        let newest = transactions.max { $0.rank < $1.rank }
        self.init(
            observation: observation, period: newest?.rank, expiresDate: newest?.expiresDate,
            revocationDate: newest?.revocationDate)
    }

    /// By (asOf, digest). What is equal in these is one payload; but the statuses endpoint sends the number, and the
    /// transaction beside it, outside what was signed. There all else decides, so that order of arrival never does: the
    /// greater number first, because time alone takes a subscription from 1 to the others.
    package static func < (left: Self, right: Self) -> Bool {
        let (leftKey, rightKey) = (left.observation.key, right.observation.key)
        return leftKey == rightKey ? left.content < right.content : leftKey < rightKey
    }

    private var content: (AppleStatus, Moment, PeriodID, Moment, Moment) {
        (
            self.observation.status, self.observation.unsigned?.purchaseDate ?? .distantPast,
            self.period ?? PeriodID(purchaseDate: .distantPast, key: ""), self.expiresDate ?? .distantPast,
            self.revocationDate ?? .distantPast
        )
    }

    /// Whether it was given in view of this period with this end, whichever of its transactions told it.
    func knew(_ transaction: TransactionInfo) -> Bool {
        self.knewPaidEnd(of: transaction) && self.revocationDate == transaction.revocationDate
    }

    /// The same, whether or not it was revoked.
    func knewPaidEnd(of transaction: TransactionInfo) -> Bool {
        self.period == transaction.rank && self.expiresDate == transaction.expiresDate
    }
}

extension StatusObservation {
    fileprivate var key: (Moment, PayloadDigest) { (self.asOf, self.digest) }
}
