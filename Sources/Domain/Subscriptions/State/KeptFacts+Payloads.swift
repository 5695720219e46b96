extension KeptFacts {
    /// Bundles that, merged into any state that knows less of the same contents, make it equal to this one.
    var payloads: [(source: EventSource, facts: Facts)] {
        var (vouched, others) = (Facts(), Facts())
        var status: (source: EventSource, facts: Facts)?
        for period in self.periods {
            for version in period.allVersions {
                let info = period.payload(of: version)
                if status == nil, let kept = self.status, kept.knew(info) {
                    let facts = Facts(transactions: [info], status: kept.observation)
                    status = (version.isVouched ? .statuses : .client, facts)
                } else if version.isVouched {
                    vouched.transactions.append(info)
                } else {
                    others.transactions.append(info)
                }
            }
        }
        if let renewal = self.renewal {
            if renewal.isVouched { vouched.renewal = renewal.info } else { others.renewal = renewal.info }
        }
        let rest: [(EventSource, Facts)] = [(.statuses, vouched), (.client, others)].filter { !$0.1.isEmpty }
        return (status.map { [$0] } ?? []) + rest
    }
}

extension KeptPeriod {
    /// Of a copy only its version is known; the rest is as in the period's newest payload, and its end no later than one
    /// that was told.
    fileprivate func payload(of version: KeptVersion) -> TransactionInfo {
        guard version.transactionID != self.info.transactionID else { return self.info }
        var info = self.info
        info.transactionID = version.transactionID
        info.signedDate = version.signedDate
        info.digest = PayloadDigest(start: version.digestStart)
        info.unshared.revoke(version.revocation)
        if let vouched = self.vouched, version.isVouched, vouched.signedDate == version.signedDate {
            info.expiresDate = vouched.expiresDate
        } else if let longest = self.longestExpiresDate, version.revocation == nil {
            info.expiresDate = info.expiresDate.map { min($0, longest) }
        }
        return info
    }
}
