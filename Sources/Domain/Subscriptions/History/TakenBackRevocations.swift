/// Revocations as they counted at some moment: what is kept of a transaction is its newest version, and a question about the
/// past has to know of older ones too. Each counts from its date until the version that took it back was signed.
struct TakenBackRevocations {
    /// All versions of each transaction that was ever revoked, in the order of signing.
    private var versions: [TransactionID: [KeptVersion]] = [:]
    /// Of these the ids, ascending, by the period that their newest version is filed under.
    private var ids: [PeriodID?: [TransactionID]] = [:]
    /// All versions of these periods, in the order of signing.
    private var periods: [PeriodID?: [KeptVersion]] = [:]
    private let kind: StreamKind

    init(_ told: [ToldTransaction], of kind: StreamKind) {
        self.kind = kind
        for transaction in told where transaction.info.revocationDate != nil {
            self.versions[transaction.info.transactionID] = []
        }
        guard !self.versions.isEmpty else { return }
        var newest: [TransactionID: (version: KeptVersion, period: PeriodID?)] = [:]
        for transaction in told {
            let id = transaction.info.transactionID
            guard self.versions[id] != nil else { continue }
            let version = KeptVersion(transaction.info, vouched: transaction.source.isAuthoritative(for: kind))
            self.versions[id]?.append(version)
            if let other = newest[id], version <= other.version { continue }
            newest[id] = (version, self.name(transaction.info.rank))
        }
        for id in self.versions.keys { self.versions[id]?.sort() }
        for (id, place) in newest { self.ids[place.period, default: []].append(id) }
        for period in self.ids.keys { self.ids[period]?.sort() }
        for transaction in told {
            let period = self.name(transaction.info.rank)
            guard self.ids[period] != nil else { continue }
            self.periods[period, default: []].append(
                KeptVersion(transaction.info, vouched: transaction.source.isAuthoritative(for: kind)))
        }
        for period in self.periods.keys { self.periods[period]?.sort() }
    }

    /// All transactions of a purchase are of one.
    private func name(_ period: PeriodID) -> PeriodID? { self.kind == .purchase ? nil : period }

    /// Puts those in place that counted at `moment`, or were still to come, and leaves out what had been taken back.
    func restore(in facts: inout KeptFacts, at moment: Moment) {
        guard !self.versions.isEmpty else { return }
        let asOf = facts.status?.observation.asOf ?? .distantPast
        facts.periods = facts.periods.compactMap { period in
            let name = self.name(period.rank)
            let known = period.allVersions
            let ids = Set(self.ids[name] ?? [])
            var versions = known.filter { self.versions[$0.transactionID] == nil }
            guard versions.count < known.count || !ids.isEmpty else { return period }
            // What is filed under several periods is of the one that its newest version names.
            versions += self.counting(among: known.filter { ids.contains($0.transactionID) }, of: period, moment, asOf)
            guard !versions.isEmpty else { return nil }
            var restored = period
            restored.replaceVersions(by: versions.sorted { $0.transactionID < $1.transactionID })
            return restored
        }
    }

    /// The ever revoked transactions of a period, each as it counted at `moment`.
    private func counting(
        among known: [KeptVersion], of period: KeptPeriod, _ moment: Moment, _ asOf: Moment
    ) -> [KeptVersion] {
        let name = self.name(period.rank)
        let keptIDs = Set(period.versions.map(\.transactionID))
        let ofThen = known.compactMap { version in
            keptIDs.contains(version.transactionID)
                ? self.versions[version.transactionID]?.merged { $0.signedDate <= moment } : nil
        }
        func counts(_ claim: RevocationClaim) -> Bool {
            moment < claim.end && claim.date < claim.end && !ofThen.takesBack(claim.date, signed: claim.lastSigned)
        }
        var counting: [KeptVersion] = []
        for id in self.ids[name] ?? [] {
            let newest = known.first { $0.transactionID == id }
            let claims =
                keptIDs.contains(id)
                ? RevocationClaim.all(by: self.versions[id] ?? [], signedAfter: asOf)
                : RevocationClaim.all(by: id, whileNewestOf: self.periods[name] ?? [], newest: newest)
            if let claim = claims.filter(counts).min(by: { $0.date < $1.date }) {
                counting.append(claim.version)
            } else if var newest {
                newest.revocation = nil
                newest.revocationDates = []
                counting.append(newest)
            }
        }
        return counting
    }
}

extension [KeptVersion] {
    /// The newest of those that fit, with what is known from the others.
    fileprivate func merged(where fits: (KeptVersion) -> Bool) -> KeptVersion? {
        var merged: KeptVersion?
        for version in self where fits(version) {
            if merged?.merge(version) == nil { merged = version }
        }
        return merged
    }
}
