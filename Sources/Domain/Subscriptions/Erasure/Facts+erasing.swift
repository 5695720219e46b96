extension Facts {
    package func erasing(_ erased: ErasedIdentifiers) -> Facts {
        var facts = self
        for place in facts.transactions.indices { facts.transactions[place].erase(erased) }
        facts.renewal?.erase(erased)
        return facts
    }
}

extension TransactionInfo {
    /// Puts a mark in the place of each. A payload is copied only where it carries one of them.
    package mutating func erase(_ erased: ErasedIdentifiers) {
        if erased.contains(token: self.appAccountToken) { self.appAccountToken = ErasedIdentifiers.mark }
        if erased.contains(account: self.appTransactionID) { self.appTransactionID = ErasedIdentifiers.mark }
    }
}

extension RenewalInfo {
    /// Puts a mark in the place of each.
    package mutating func erase(_ erased: ErasedIdentifiers) {
        if erased.contains(token: self.appAccountToken) { self.appAccountToken = ErasedIdentifiers.mark }
        if erased.contains(account: self.appTransactionID) { self.appTransactionID = ErasedIdentifiers.mark }
    }
}

extension NotificationRecord {
    package func erasing(_ erased: ErasedIdentifiers) -> NotificationRecord {
        guard case .consentRescinded(var consent) = self, erased.contains(account: consent.appTransactionID) else {
            return self
        }
        consent.appTransactionID = ErasedIdentifiers.mark
        return .consentRescinded(consent)
    }
}
