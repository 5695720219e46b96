package import Entitlements
package import Subscriptions

/// All that leads to one customer and may count in one environment, ready for questions. Production counts streams of Sandbox
/// only where the policy lets them in, and grants for Production; Sandbox counts what is its own.
package struct CustomerHoldings: Sendable {
    private let streams: [HeldStream]
    private let grants: [Grant]
    private let catalog: Catalog

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
    }

    /// Whether the customer has what the catalog calls `entitlement`; without a name, whether anything entitles.
    /// - Precondition: the catalog has the name; `moment` is not before the first phase of any stream.
    package func answer(for entitlement: String?, at moment: Moment) -> CustomerAnswer {
        var best: Candidate?
        var latest: Moment? = .distantPast
        self.forEachCandidate(for: entitlement, at: moment) { candidate in
            latest = latest.flatMap { latest in candidate.end.map { max(latest, $0) } }
            if best.map({ $0 < candidate }) ?? true { best = candidate }
        }
        guard let best else { return self.refusal(for: entitlement, at: moment) }
        return CustomerAnswer(
            entitled: true, entitlement: best.entitlement, state: best.state, code: best.code, validUntil: latest,
            productID: best.productID, rank: best.rank, environment: best.environment, by: best.origin,
            ownership: best.ownership, incomplete: self.isIncomplete(at: moment))
    }

    private func isIncomplete(at moment: Moment) -> Bool {
        self.streams.contains { $0.phase(at: moment)?.isIncomplete ?? false }
    }

    /// Something that entitles, and what it is worth.
    private struct Candidate {
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
        var key: [UInt8] {
            switch self.origin {
            case .stream(let key): key.bytes
            case .grant(let id): Array(id.utf8)
            }
        }

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

    private func forEachCandidate(for entitlement: String?, at moment: Moment, _ body: (Candidate) -> Void) {
        for stream in self.streams {
            guard let phase = stream.phase(at: moment), phase.entitled else { continue }
            let granted = self.granted(by: phase.productID, entitlement)
            if entitlement != nil, granted == nil { continue }
            body(
                Candidate(
                    origin: .stream(stream.key), state: .stream(phase.state), code: phase.code,
                    productID: phase.productID, entitlement: granted?.entitlement, rank: granted?.rank,
                    environment: stream.key.environment, ownership: phase.ownership, isOwn: phase.isOwn,
                    end: stream.end(after: moment) { product in
                        entitlement == nil || product == phase.productID
                            || self.granted(by: product, entitlement) != nil
                    }))
        }
        for grant in self.grants where grant.entitles(at: moment) {
            guard entitlement == nil || grant.entitlement == entitlement else { continue }
            body(
                Candidate(
                    origin: .grant(id: grant.id), state: .granted, code: .granted, entitlement: grant.entitlement,
                    rank: self.catalog.highestRank(of: grant.entitlement), environment: grant.environment, isOwn: true,
                    end: grant.end))
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
            return (isProduction ? 1 : 0, state, entry.phase.purchaseDate ?? .distantPast)
        }
        let shown = ended.max { left, right in
            let (first, second) = (order(left), order(right))
            return first == second
                ? right.stream.key.bytes.lexicographicallyPrecedes(left.stream.key.bytes) : first < second
        }
        var answer = CustomerAnswer.nothing(of: entitlement, incomplete: self.isIncomplete(at: moment))
        guard let shown else { return answer }
        (answer.state, answer.code, answer.productID) = (
            .stream(shown.phase.state), shown.phase.code, shown.phase.productID
        )
        answer.by = .stream(shown.stream.key)
        answer.ownership = shown.phase.ownership
        return answer
    }
}
