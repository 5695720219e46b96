package import Entitlements
package import Subscriptions

/// All that leads to one customer and may count in one environment, ready for questions. Production counts streams of Sandbox
/// only where the policy lets them in, and grants for Production; Sandbox counts what is its own.
package struct CustomerHoldings: Sendable {
    let streams: [HeldStream]
    let grants: [Grant]
    let catalog: Catalog

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
        func consider(_ candidate: Candidate) {
            latest = latest.flatMap { latest in candidate.end.map { max(latest, $0) } }
            if best.map({ self.isBetter(candidate, than: $0) }) ?? true { best = candidate }
        }
        for place in self.streams.indices {
            if let candidate = self.candidate(ofStream: place, entitlement, at: moment) { consider(candidate) }
        }
        for place in self.grants.indices {
            if let candidate = self.candidate(ofGrant: place, entitlement, at: moment) { consider(candidate) }
        }
        guard let best else { return self.refusal(for: entitlement, at: moment) }
        return self.answer(best, entitlement, validUntil: latest, at: moment)
    }

    /// Whether something entitles to a name, with the rank that it was told to have.
    func gives(_ entitlement: String, as told: ToldAnswer, at moment: Moment) -> Bool {
        let candidates: [Candidate?] =
            switch told.by {
            case .stream(let key)?:
                self.streams.indices.filter { self.streams[$0].key == key }
                    .map { self.candidate(ofStream: $0, entitlement, at: moment) }
            case .grant(let id)?:
                self.grants.indices.filter { self.grants[$0].id == id }
                    .map { self.candidate(ofGrant: $0, entitlement, at: moment) }
            case nil: []
            }
        return candidates.contains { $0.map { $0.rank == told.rank } ?? false }
    }

    /// When the next grant or run of purchases begins or ends: of these no stream's own timer tells.
    func nextChange(after moment: Moment) -> Moment? {
        let grants = self.grants.flatMap { [$0.from, $0.end].compactMap(\.self) }
        let runs = self.streams.filter { $0.key.kind == .purchase }.flatMap { $0.phases.map(\.from) }
        return (grants + runs).filter { moment < $0 }.min()
    }

    /// The moments from which on answers may differ from those before by time alone, ascending.
    package var boundaries: [Moment] {
        let grants = self.grants.flatMap { [$0.from, $0.end].compactMap(\.self) }
        return Set(grants + self.streams.flatMap { $0.phases.map(\.from) }).sorted()
    }

    private func answer(
        _ best: Candidate, _ entitlement: String?, validUntil end: Moment?, at moment: Moment
    ) -> CustomerAnswer {
        var answer = CustomerAnswer(
            entitled: true, entitlement: entitlement, code: .granted, validUntil: end, rank: best.rank,
            incomplete: self.isIncomplete(at: moment))
        switch best.origin {
        case .stream(let place, let number):
            let stream = self.streams[place]
            let phase = stream.phases[number]
            answer.entitlement = self.granted(by: phase.productID, entitlement)?.entitlement
            (answer.state, answer.code, answer.productID) = (.stream(phase.state), phase.code, phase.productID)
            (answer.environment, answer.by) = (stream.key.environment, .stream(stream.key))
            answer.ownership = phase.ownership
        case .grant(let place):
            let grant = self.grants[place]
            (answer.entitlement, answer.state) = (grant.entitlement, .granted)
            (answer.environment, answer.by) = (grant.environment, .grant(id: grant.id))
        }
        return answer
    }

    private func isIncomplete(at moment: Moment) -> Bool {
        self.streams.contains { stream in stream.place(at: moment).map { stream.phases[$0].isIncomplete } ?? false }
    }

    /// Something that entitles, and what it is worth: numbers alone, since of several one makes the answer.
    private struct Candidate {
        enum Origin {
            case stream(Int, phase: Int)
            case grant(Int)
        }

        var origin: Origin
        /// nil where the catalog has no name for it.
        var rank: Int?
        var isProduction: Bool
        var isOwn: Bool
        var end: Moment?

        var order: (Int, Int, Int, Moment) {
            (self.rank ?? .min, self.isProduction ? 1 : 0, self.isOwn ? 1 : 0, self.end ?? .distantFuture)
        }
    }

    /// By rank, then Production, then what is the customer's own, then the later end, then the smaller key.
    private func isBetter(_ candidate: Candidate, than other: Candidate) -> Bool {
        let (first, second) = (candidate.order, other.order)
        return first == second
            ? self.key(of: candidate).lexicographicallyPrecedes(self.key(of: other)) : second < first
    }

    /// Of the stream or the grant.
    private func key(of candidate: Candidate) -> [UInt8] {
        switch candidate.origin {
        case .stream(let place, _): self.streams[place].key.bytes
        case .grant(let place): Array(self.grants[place].id.utf8)
        }
    }

    private func candidate(ofStream place: Int, _ entitlement: String?, at moment: Moment) -> Candidate? {
        guard let phase = self.streams[place].place(at: moment), self.streams[place].phases[phase].entitled else {
            return nil
        }
        let product = self.streams[place].phases[phase].productID
        let granted = self.granted(by: product, entitlement)
        if entitlement != nil, granted == nil { return nil }
        return Candidate(
            origin: .stream(place, phase: phase), rank: granted?.rank,
            isProduction: self.streams[place].key.environment == .production,
            isOwn: self.streams[place].phases[phase].isOwn,
            end: self.streams[place].end(after: moment) { later in
                entitlement == nil || later == product || self.granted(by: later, entitlement) != nil
            })
    }

    private func candidate(ofGrant place: Int, _ entitlement: String?, at moment: Moment) -> Candidate? {
        guard self.grants[place].entitles(at: moment),
            entitlement == nil || self.grants[place].entitlement == entitlement
        else { return nil }
        return Candidate(
            origin: .grant(place), rank: self.catalog.highestRank(of: self.grants[place].entitlement),
            isProduction: self.grants[place].environment == .production, isOwn: true, end: self.grants[place].end)
    }

    /// What a product grants: the name asked about, or its best.
    func granted(by product: String?, _ entitlement: String?) -> (entitlement: String, rank: Int)? {
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
