package import Entitlements
package import Subscriptions

/// A subscription or purchase that leads to a customer, as a check by customer looks at it, for any moment from the first phase on.
package struct HeldStream: Hashable, Sendable {
    /// A stretch of time in which the stream answers alike if nothing more is heard.
    package struct Phase: Hashable, Sendable {
        package var from: Moment
        package var state: LifecycleState
        package var entitled: Bool
        package var code: CohortCode
        package var productID: String?
        /// Of the transaction that is current then, like what follows.
        package var purchaseDate: Moment?
        package var quantity: Int64
        /// Apple's `inAppOwnershipType`.
        package var ownership: String?
        /// Part of what its answer rests on is not known yet.
        package var isIncomplete: Bool
        /// How it is paid for; nil where nothing was paid, and where it ends without another charge.
        package var payment: Payment?

        package init(
            from: Moment, state: LifecycleState, entitled: Bool, code: CohortCode, productID: String?,
            purchaseDate: Moment? = nil, quantity: Int64 = 1, ownership: String? = nil, isIncomplete: Bool = false,
            payment: Payment? = nil
        ) {
            self.from = from
            self.state = state
            self.entitled = entitled
            self.code = code
            self.productID = productID
            self.purchaseDate = purchaseDate
            self.quantity = quantity
            self.ownership = ownership
            self.isIncomplete = isIncomplete
            self.payment = payment
        }

        /// Bought by the customer, and not by the family or an organisation.
        var isOwn: Bool { self.ownership == nil || self.ownership == "PURCHASED" }
    }

    package var key: StreamKey
    /// Ascending; the first holds before, too.
    package var phases: [Phase]
    /// Of one in Sandbox: the app's policy lets it count in Production (`SandboxPolicy`).
    package var countsInProduction: Bool
    /// The streams in whose place it goes on, its predecessor first.
    package var superseded: [StreamKey]

    package init(
        key: StreamKey, phases: [Phase], countsInProduction: Bool = false, superseded: [StreamKey] = []
    ) {
        self.key = key
        self.phases = phases
        self.countsInProduction = countsInProduction
        self.superseded = superseded
    }

    /// - Parameter outlook: of the stream.
    package init(
        _ outlook: Outlook, from moment: Moment, countsInProduction: Bool, superseded: [StreamKey] = []
    ) {
        var phases: [Phase] = []
        for phase in outlook.phases(from: moment) {
            let snapshot = phase.snapshot
            phases.extend(
                by: Phase(
                    from: phase.from, state: snapshot.state, entitled: snapshot.entitled, code: CohortCode(snapshot),
                    productID: snapshot.productID, purchaseDate: snapshot.purchaseDate,
                    quantity: outlook.quantity(at: phase.from), ownership: snapshot.ownership,
                    isIncomplete: snapshot.incomplete, payment: outlook.payment(at: phase.from)))
        }
        self.init(
            key: outlook.key, phases: phases, countsInProduction: countsInProduction, superseded: superseded)
    }

    func phase(at moment: Moment) -> Phase? { self.place(at: moment).map { self.phases[$0] } }

    /// Of the phase that holds; nil without phases.
    func place(at moment: Moment) -> Int? {
        var place = self.phases.count - 1
        while place > 0, moment < self.phases[place].from { place -= 1 }
        return place < 0 ? nil : place
    }

    /// The end of the unbroken time, from the phase at `moment` on, in which the stream entitles and `grants` says yes to its
    /// product; nil where there is none.
    func end(after moment: Moment, _ grants: (String?) -> Bool) -> Moment? {
        self.phases.first { moment < $0.from && !($0.entitled && grants($0.productID)) }?.from
    }
}

extension [HeldStream.Phase] {
    /// Adds the phase that follows, unless it answers as the last one does.
    mutating func extend(by phase: HeldStream.Phase) {
        var earlier = phase
        earlier.from = self.last?.from ?? phase.from
        if self.last != earlier { self.append(phase) }
    }
}
