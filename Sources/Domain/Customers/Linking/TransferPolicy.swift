/// What becomes of a link that contradicts what holds (`customers.transfer`).
package enum TransferPolicy: String, Hashable, Sendable, CaseIterable {
    /// It is refused, and left for a person as a conflict.
    case keep
    /// It moves the stream.
    case transfer
    /// It moves the stream unless that is entitled or in billing retry.
    case transferIfInactive
    /// It gives the stream to one customer more.
    case share
}

/// How customers of one app are told apart.
package struct CustomerRules: Hashable, Sendable {
    package var transfer: TransferPolicy
    package var tokens: TokenPolicy

    package init(transfer: TransferPolicy = .keep, tokens: TokenPolicy = .id) {
        self.transfer = transfer
        self.tokens = tokens
    }
}
