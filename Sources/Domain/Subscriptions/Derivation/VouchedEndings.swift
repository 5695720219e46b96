/// A fact from a client or from history alone never ends access that was running before Apple has been asked. So the
/// rules are applied to all facts, and again to these, in which an ending counts only when an authoritative source has
/// vouched for it. When the first denies access and one of these grants it, that is the answer, marked `incomplete`;
/// its own rules end it at `end` + leeway.

extension KeptFacts {
    /// Nothing needs protection.
    var areVouched: Bool {
        self.periods.allSatisfy(\.isWhollyVouched) && self.renewal?.isVouched != false
    }

    /// Without what first arrived revoked and unvouched: it never gave access, so all that it can do is to end some.
    var periodsSeenRunning: [KeptPeriod] {
        self.periods.filter { $0.vouched != nil || $0.longestExpiresDate != nil }
    }

    /// And without unvouched purchases that would replace the newest vouched one; all when none is vouched.
    var periodsUpToVouched: [KeptPeriod] {
        let running = self.periodsSeenRunning
        return running.lastIndex { $0.vouched != nil }.map { Array(running[...$0]) } ?? running
    }
}

extension TransactionInfo {
    /// Ends no earlier than what is vouched for, or what was once seen running. Its revocation is for its versions to say.
    mutating func leaveUnvouchedEnd(_ period: KeptPeriod) {
        // No newer than what is vouched for, so that it does not put Apple's status aside.
        self.signedDate = period.vouched?.signedDate ?? .distantPast
        if let vouched = period.vouched {
            self.expiresDate = .greater(self.expiresDate, vouched.expiresDate)
        } else if let longestExpiresDate = period.longestExpiresDate {
            self.expiresDate = self.expiresDate.map { max($0, longestExpiresDate) }
        }
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
