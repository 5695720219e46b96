package import Entitlements
package import Subscriptions

/// All that leads to one customer and may count in one environment, ready for questions. Production counts streams of Sandbox
/// only where the policy lets them in, and grants for Production; Sandbox counts what is its own.
package struct CustomerHoldings: Sendable {
    private let streams: [HeldStream]
    private let grants: [Grant]
    private let catalog: Catalog
    private let isIncomplete: Bool

    /// - Parameter streams: all that lead to the customer.
    package init(
        streams: [HeldStream], grants: [Grant], in environment: AppStoreEnvironment, catalog: Catalog,
        rules: DerivationRules
    ) {
        let counted = streams.filter { stream in
            stream.key.environment == environment
                || environment == .production && stream.key.environment == .sandbox && stream.countsInProduction
        }
        self.streams = counted.addingUp(rules)
        self.grants = grants.filter { $0.environment == environment }
        self.catalog = catalog
        self.isIncomplete = counted.contains(where: \.isIncomplete)
    }

    /// Whether the customer has what the catalog calls `entitlement`; without a name, whether anything entitles.
    /// - Precondition: the catalog has the name.
    package func answer(for entitlement: String?, at moment: Moment) -> CustomerAnswer {
        let candidates = self.candidates(for: entitlement, at: moment)
        guard let best = candidates.max(by: { $0 < $1 }) else { return self.refusal(for: entitlement, at: moment) }
        let isEndless = candidates.contains { $0.end == nil }
        return CustomerAnswer(
            entitled: true, entitlement: best.entitlement, state: best.state, code: best.code,
            validUntil: isEndless ? nil : candidates.compactMap(\.end).max(), productID: best.productID,
            rank: best.rank, environment: best.environment, by: best.origin, ownership: best.ownership,
            incomplete: self.isIncomplete)
    }

    /// Something that entitles, and what it is worth.
    private struct Candidate: Comparable {
        var origin: CustomerAnswer.Origin
        var state: CustomerAnswer.State
        var code: CohortCode
        var productID: String?
        /// nil where the catalog has no name for it.
        var entitlement: String?
        var rank: Int?
        var environment: AppStoreEnvironment
        var ownership: String?
        var isOwn: Bool
        var end: Moment?
        /// Of the stream or the grant.
        var key: [UInt8]

        /// By rank, then Production, then what is the customer's own, then the later end, then the smaller key.
        static func < (left: Self, right: Self) -> Bool {
            func order(_ candidate: Self) -> (Int, Int, Int, Moment) {
                (
                    candidate.rank ?? .min, candidate.environment == .production ? 1 : 0, candidate.isOwn ? 1 : 0,
                    candidate.end ?? .distantFuture
                )
            }
            let (first, second) = (order(left), order(right))
            return first == second ? right.key.lexicographicallyPrecedes(left.key) : first < second
        }
    }

    private func candidates(for entitlement: String?, at moment: Moment) -> [Candidate] {
        self.streams.compactMap { stream in
            guard let phase = stream.phase(at: moment), phase.entitled else { return nil }
            let granted = self.granted(by: phase.productID, entitlement)
            if entitlement != nil, granted == nil { return nil }
            return Candidate(
                origin: .stream(stream.key), state: .stream(phase.state), code: phase.code, productID: phase.productID,
                entitlement: granted?.entitlement, rank: granted?.rank, environment: stream.key.environment,
                ownership: stream.ownership, isOwn: stream.isOwn,
                end: stream.end(after: moment) { product in
                    entitlement == nil || self.granted(by: product, entitlement) != nil
                }, key: stream.key.bytes)
        }
            + self.grants.compactMap { grant in
                guard grant.entitles(at: moment), entitlement == nil || grant.entitlement == entitlement else {
                    return nil
                }
                return Candidate(
                    origin: .grant(id: grant.id), state: .granted, code: .granted, entitlement: grant.entitlement,
                    rank: self.catalog.highestRank(of: grant.entitlement), environment: grant.environment, isOwn: true,
                    end: grant.end, key: Array(grant.id.utf8))
            }
    }

    /// What a product grants: the name asked about, or its best.
    private func granted(by product: String?, _ entitlement: String?) -> (entitlement: String, rank: Int)? {
        guard let product else { return nil }
        guard let entitlement else {
            return self.catalog.entitlements.compactMap { name in
                self.catalog.rank(of: product, granting: name).map { (name, $0) }
            }.max { $0.1 < $1.1 }
        }
        return self.catalog.rank(of: product, granting: entitlement).map { (entitlement, $0) }
    }

    /// Of the streams whose product has the name, those of Production first: one in retry, else one that was revoked, else one that
    /// has ended; of several the newest.
    private func refusal(for entitlement: String?, at moment: Moment) -> CustomerAnswer {
        let ended = self.streams.compactMap { stream -> (stream: HeldStream, phase: HeldStream.Phase)? in
            guard let phase = stream.phase(at: moment), phase.code != .nothing,
                entitlement == nil || self.granted(by: phase.productID, entitlement) != nil
            else { return nil }
            return (stream, phase)
        }
        func order(_ entry: (stream: HeldStream, phase: HeldStream.Phase)) -> (Int, Int, Moment) {
            let state =
                switch entry.phase.state {
                case .retry: 2
                case .revoked: 1
                case .subscribed, .grace, .expired, .owned: 0
                }
            let isProduction = entry.stream.key.environment == .production
            return (isProduction ? 1 : 0, state, entry.stream.purchaseDate ?? .distantPast)
        }
        let shown = ended.max { left, right in
            let (first, second) = (order(left), order(right))
            return first == second
                ? right.stream.key.bytes.lexicographicallyPrecedes(left.stream.key.bytes) : first < second
        }
        var answer = CustomerAnswer.nothing(of: entitlement, incomplete: self.isIncomplete)
        guard let shown else { return answer }
        (answer.state, answer.code, answer.productID) = (
            .stream(shown.phase.state), shown.phase.code, shown.phase.productID
        )
        answer.by = .stream(shown.stream.key)
        answer.ownership = shown.stream.ownership
        return answer
    }
}
