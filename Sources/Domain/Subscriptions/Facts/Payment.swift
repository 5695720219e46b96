/// How a customer pays for what a subscription or purchase gives.
package enum Payment: Hashable, Sendable {
    /// The present period is paid, and the next one is charged when it ends.
    case renewing
    /// It was paid once and does not end.
    case lifetime
}

extension Payment {
    /// nil where nothing was paid for it, and where it ends without another charge.
    /// - Parameters:
    ///   - current: of the present period.
    ///   - renewal: what the next renewal brings.
    init?(_ current: TransactionInfo, _ renewal: RenewalInfo?, of kind: StreamKind) {
        // A price that is not known is no sign of a payment.
        guard current.price ?? 0 > 0 else { return nil }
        if kind == .subscription {
            guard renewal?.autoRenewStatus != 0 || current.isWithinCommitment else { return nil }
            self = .renewing
        } else {
            guard !current.isConsumable, !current.isNonRenewing else { return nil }
            self = .lifetime
        }
    }
}

extension TransactionInfo {
    /// The months of a yearly commitment go on, whatever the customer wants after it.
    fileprivate var isWithinCommitment: Bool {
        guard let end = self.expiresDate, let commitmentEnd = self.commitment?.commitmentExpiresDate else {
            return false
        }
        return end < commitmentEnd
    }
}
