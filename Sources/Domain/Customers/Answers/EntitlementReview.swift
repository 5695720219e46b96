package import Entitlements
package import Subscriptions

/// Compares the answers about the names of the catalog with those that a customer was told.
package struct EntitlementReview: Hashable, Sendable {
    /// In the order of the names, those of Production first.
    package private(set) var changes: [EntitlementChange] = []
    /// When an answer may change next without an event of a stream; nil where it does not.
    package let next: Moment?

    /// The environments in which a customer is told of changes.
    private static let environments: [AppStoreEnvironment] = [.production, .sandbox]

    /// - Parameters:
    ///   - told: what the customer was told to have.
    ///   - holdings: all that counts for it in an environment.
    ///   - moment: now.
    package init(
        _ told: [EntitlementName: ToldAnswer], _ catalog: Catalog, at moment: Moment,
        _ holdings: (AppStoreEnvironment) -> CustomerHoldings
    ) {
        var next: Moment?
        for environment in Self.environments {
            let held = holdings(environment)
            if let change = held.nextChange(after: moment) { next = min(next ?? change, change) }
            // A name that the catalog has lost gives nothing any more.
            let lost = told.keys.filter { name in
                name.environment == environment && !catalog.entitlements.contains(name.entitlement)
            }
            for name in catalog.entitlements + lost.map(\.entitlement).sorted() {
                let answer =
                    catalog.highestRank(of: name) == nil
                    ? .nothing(of: name) : held.answer(for: name, at: moment)
                let name = EntitlementName(name, in: environment)
                let (before, after) = (told[name], ToldAnswer(answer))
                guard before.map({ !$0.saysLike(after) }) ?? after.entitled else { continue }
                // Of two that are worth the same, the one that gave it goes on: which of them ends later is no news.
                if let before, after.entitled, after.rank == before.rank,
                    held.gives(name.entitlement, as: before, at: moment)
                {
                    continue
                }
                self.changes.append(EntitlementChange(name, from: before, to: after))
            }
        }
        self.next = next
    }
}

extension ToldAnswer {
    fileprivate init(_ answer: CustomerAnswer) {
        self.init(
            entitled: answer.entitled, state: answer.state?.name, code: answer.code.description,
            validUntil: answer.validUntil, productID: answer.productID, rank: answer.rank, by: answer.by)
    }
}
