/// A fact from a client or from history alone never ends access that was running before Apple has been asked. So the
/// rules are applied to all facts, and again to these, in which an ending counts only when an authoritative source has
/// vouched for it. When the first denies access and one of these grants it, that is the answer, marked `incomplete`;
/// its own rules end it at `end` + leeway.

extension KeptFacts {
    /// Nothing needs protection.
    var areVouched: Bool { self.transactions.allSatisfy(\.isVouched) && self.renewal?.isVouched != false }

    /// Without what first arrived revoked and unvouched: it never gave access, so all that it can do is to end some.
    var transactionsSeenRunning: [KeptTransaction] {
        self.transactions.filter { $0.vouched != nil || $0.longestExpiresDate != nil }
    }

    /// And without unvouched purchases that would replace the newest vouched one; all when none is vouched.
    var transactionsUpToVouched: [KeptTransaction] {
        let running = self.transactionsSeenRunning
        return running.lastIndex { $0.vouched != nil }.map { Array(running[...$0]) } ?? running
    }
}

extension KeptTransaction {
    var infoWithVouchedEnd: TransactionInfo {
        guard !self.isVouched else { return self.info }
        var info = self.info
        // No newer than what is vouched for, so that it does not put Apple's status aside.
        info.signedDate = self.vouched?.signedDate ?? .distantPast
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
        guard !self.isVouched else { return self.info }
        var info = self.info
        // No newer than what is vouched for, so that it does not put Apple's status aside.
        info.signedDate = self.vouched?.signedDate ?? .distantPast
        // After a failed charge this is not the end of a paid period.
        if info.isInBillingRetryPeriod == true || info.expirationIntent != nil { info.renewalDate = nil }
        guard self.vouched?.endsAccess != true else { return info }
        info.autoRenewStatus = nil
        info.expirationIntent = nil
        info.isInBillingRetryPeriod = nil
        return info
    }
}
