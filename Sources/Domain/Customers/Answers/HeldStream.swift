package import Entitlements
package import Subscriptions

/// A subscription or purchase that leads to a customer, as a check by customer looks at it.
package struct HeldStream: Hashable, Sendable {
    package typealias Phase = EntitlementRow.Phase

    package var key: StreamKey
    /// Ascending; the first holds at the moment of the question and before.
    package var phases: [Phase]
    /// Apple's `inAppOwnershipType`.
    package var ownership: String?
    /// Of the current transaction.
    package var purchaseDate: Moment?
    package var quantity: Int64
    /// Part of what its answer rests on is not known yet.
    package var isIncomplete: Bool
    /// Of one in Sandbox: the app's policy lets it count in Production (`SandboxPolicy`).
    package var countsInProduction: Bool

    package init(
        key: StreamKey, phases: [Phase], ownership: String? = nil, purchaseDate: Moment? = nil, quantity: Int64 = 1,
        isIncomplete: Bool = false, countsInProduction: Bool = false
    ) {
        self.key = key
        self.phases = phases
        self.ownership = ownership
        self.purchaseDate = purchaseDate
        self.quantity = quantity
        self.isIncomplete = isIncomplete
        self.countsInProduction = countsInProduction
    }

    /// - Parameter outlook: of the stream.
    package init(_ outlook: Outlook, from moment: Moment, countsInProduction: Bool) {
        let now = outlook.snapshot(at: moment)
        self.init(
            key: outlook.key, phases: EntitlementRow(outlook, version: 0, from: moment).phases,
            ownership: now.ownership, purchaseDate: now.purchaseDate, quantity: outlook.quantity(at: moment),
            isIncomplete: now.incomplete, countsInProduction: countsInProduction)
    }

    func phase(at moment: Moment) -> Phase? { self.phases.last { $0.from <= moment } ?? self.phases.first }

    /// Bought by the customer, and not by the family or an organisation.
    var isOwn: Bool { self.ownership == nil || self.ownership == "PURCHASED" }

    /// The end of the unbroken time, from the phase at `moment` on, in which the stream entitles and `grants` says yes to its
    /// product; nil where there is none.
    func end(after moment: Moment, _ grants: (String?) -> Bool) -> Moment? {
        self.phases.first { moment < $0.from && !($0.entitled && grants($0.productID)) }?.from
    }
}
