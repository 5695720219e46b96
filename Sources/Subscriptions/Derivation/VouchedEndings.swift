/// A fact from a client or from history alone never ends access that was running before Apple has been asked. So the
/// rules are applied twice: to all facts, and to these, in which an ending counts only when an authoritative source has
/// vouched for it. When the first denies access and the second grants it, the second is the answer, marked
/// `incomplete`; its own rules end it at `end` + leeway.

extension KeptTransaction {
    var infoWithVouchedEnd: TransactionInfo {
        guard !self.isVouched else { return self.info }
        var info = self.info
        if let vouched {
            if vouched.revocationDate == nil { info.revocationDate = nil }
            info.expiresDate = .greater(info.expiresDate, vouched.expiresDate)
        } else if let longestExpiresDate {
            info.revocationDate = nil
            info.expiresDate = info.expiresDate.map { max($0, longestExpiresDate) }
        }
        return info
    }
}

extension KeptRenewal {
    var infoWithVouchedEnd: RenewalInfo {
        guard !self.isVouched, self.vouched?.endsAccess != true else { return self.info }
        var info = self.info
        info.autoRenewStatus = nil
        info.expirationIntent = nil
        info.isInBillingRetryPeriod = nil
        return info
    }
}
