package import Entitlements
package import Subscriptions

/// Compares what a customer pays for twice with what it was told.
///
/// A pair begins to count when both sides give the same name for more than a day ahead: what is about to end is no news. It counts until one
/// side ends, is not charged again, or gives the name no more. So the last day of a paid period does not close it.
package struct DuplicateReview: Hashable, Sendable {
    /// Pairs that the customer was not told: as many as there is room for.
    package private(set) var found: [DuplicatePayment] = []
    /// Pairs that the customer was told and that count no more.
    package let closed: [DuplicatePayment]
    /// When to look again at a pair of which one side would end within a day: by then it may have been renewed. nil where there is none.
    package private(set) var next: Moment?

    private static let shortest = Milliseconds.days(1)

    /// - Parameters:
    ///   - told: the pairs that the customer was told and that have not been closed.
    ///   - holdings: all that counts for it in Production.
    ///   - moment: now.
    package init(_ told: [DuplicatePayment], _ catalog: Catalog, at moment: Moment, _ holdings: CustomerHoldings) {
        let payers = catalog.entitlements.map { (name: $0, payers: holdings.payers(of: $0, at: moment)) }
        let open = told.filter { pair in payers.contains { $0.payers.payTwice(pair) } }
        self.closed = told.filter { !open.contains($0) }
        for (name, payers) in payers {
            for (place, payer) in payers.enumerated() {
                for other in payers[(place + 1)...] where payer.paysTwice(with: other) {
                    guard open.count + self.found.count < CustomerState.duplicateLimit else { return }
                    let pair = DuplicatePayment(name, since: moment, payer.side, other.side)
                    guard !(open + self.found).contains(where: pair.isOfSamePair) else { continue }
                    if let end = payer.end(with: other), end <= moment + Self.shortest {
                        self.next = min(self.next ?? end, end)
                    } else {
                        self.found.append(pair)
                    }
                }
            }
        }
    }
}

extension [Payer] {
    /// Whether the two sides of a pair are among these, and still pay for the same.
    fileprivate func payTwice(_ pair: DuplicatePayment) -> Bool {
        self.contains { payer in
            payer.side.by == pair.first.by
                && self.contains { $0.side.by == pair.second.by && payer.paysTwice(with: $0) }
        }
    }
}
