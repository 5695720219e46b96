/// Of the revoked transactions of each payment the one revoked first: a revocation of one counts for all.
struct PaymentRevocations: Hashable {
    private let kind: StreamKind
    private var first: [Payment: TransactionInfo] = [:]

    init(of kind: StreamKind) { self.kind = kind }

    /// By what a revocation is found. Mostly that is a line item. Where Apple has left that out, the purchase date has to
    /// do: nothing else is paid in the same millisecond.
    private enum Payment: Hashable {
        case purchase
        case lineItem(String)
        case withoutLineItem(at: Moment)
        case any(at: Moment)
    }

    /// - Parameter revoking: revoked; the transaction that says so about `transaction`.
    mutating func add(_ revoking: TransactionInfo, to transaction: TransactionInfo) {
        guard let date = revoking.revocationDate else { return }
        for payment in self.payments(of: transaction) {
            if let earlier = self.first[payment]?.revocationDate, earlier <= date { continue }
            self.first[payment] = revoking
        }
    }

    private func payments(of transaction: TransactionInfo) -> [Payment] {
        if self.kind == .purchase { return [.purchase] }
        return [
            .any(at: transaction.start),
            transaction.lineItem.map(Payment.lineItem) ?? .withoutLineItem(at: transaction.start),
        ]
    }

    /// The transaction by which the payment of this one was revoked first.
    func revocation(of transaction: TransactionInfo) -> TransactionInfo? {
        guard !self.first.isEmpty else { return nil }
        if self.kind == .purchase { return self.first[.purchase] }
        guard let item = transaction.lineItem else { return self.first[.any(at: transaction.start)] }
        let found = [self.first[.lineItem(item)], self.first[.withoutLineItem(at: transaction.start)]]
        return found.compactMap(\.self).min {
            $0.revocationDate ?? .distantFuture < $1.revocationDate ?? .distantFuture
        }
    }
}
