/// Revocations that no longer count, and did: what is kept of a transaction is its newest version, and a question about the
/// past has to know of older ones too.
struct TakenBackRevocations {
    private struct Name: Hashable {
        let period: PeriodID?
        let transactionID: TransactionID
    }

    /// All versions of each transaction that was ever revoked, in the order of signing.
    private var versions: [Name: [KeptVersion]] = [:]
    private let kind: StreamKind

    init(_ told: [ToldTransaction], of kind: StreamKind) {
        self.kind = kind
        for transaction in told where transaction.info.revocationDate != nil {
            self.versions[self.name(transaction.info.rank, transaction.info.transactionID)] = []
        }
        guard !self.versions.isEmpty else { return }
        for transaction in told {
            self.versions[self.name(transaction.info.rank, transaction.info.transactionID)]?.append(
                KeptVersion(transaction.info, vouched: transaction.source.isAuthoritative(for: kind)))
        }
        for name in self.versions.keys { self.versions[name]?.sort() }
    }

    /// Puts those back that counted at `moment`, or were still to come, and were taken back after it.
    func restore(in facts: inout KeptFacts, at moment: Moment) {
        guard !self.versions.isEmpty else { return }
        for place in facts.periods.indices {
            let rank = facts.periods[place].rank
            for version in facts.periods[place].versions {
                guard let all = self.versions[self.name(rank, version.transactionID)],
                    let end = all.indices.dropFirst().first(where: {
                        all[$0].revocation == nil && all[$0].signedDate > moment && all[$0 - 1].revocation != nil
                    })
                else { continue }
                var standing = all[0]
                for other in all[1..<end] { standing.merge(other) }
                facts.periods[place].replace(standing)
            }
        }
    }

    /// All transactions of a purchase are of one period.
    private func name(_ period: PeriodID, _ id: TransactionID) -> Name {
        Name(period: self.kind == .purchase ? nil : period, transactionID: id)
    }
}
