/// S: Apple's newest `status`, with what its own transaction said then: a later version with another end ends S.
package struct KeptStatus: Hashable, Comparable, Sendable {
    package var observation: StatusObservation
    /// The newest transaction that came with it, and that transaction's end.
    package var transactionID: TransactionID?
    package var expiresDate: Moment?
    package var revocationDate: Moment?

    package init(
        observation: StatusObservation, transactionID: TransactionID?, expiresDate: Moment?, revocationDate: Moment?
    ) {
        self.observation = observation
        self.transactionID = transactionID
        self.expiresDate = expiresDate
        self.revocationDate = revocationDate
    }

    init(_ observation: StatusObservation, with transactions: [TransactionInfo]) {
        let newest = transactions.max { $0.rank < $1.rank }
        self.init(
            observation: observation, transactionID: newest?.transactionID, expiresDate: newest?.expiresDate,
            revocationDate: newest?.revocationDate)
    }

    /// By (asOf, digest): what is equal in these is one payload.
    package static func < (left: Self, right: Self) -> Bool {
        (left.observation.asOf, left.observation.digest) < (right.observation.asOf, right.observation.digest)
    }

    /// Whether it was given in view of this transaction with this end.
    func knew(_ transaction: TransactionInfo) -> Bool {
        self.transactionID == transaction.transactionID && self.expiresDate == transaction.expiresDate
            && self.revocationDate == transaction.revocationDate
    }
}
