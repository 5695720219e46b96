package import Subscriptions

/// What a link, its removal or a move would come to if it was made now: whose entitlements would begin, end, or have another end.
package struct ChangePreview: Hashable, Sendable {
    package struct Entitlement: Hashable, Sendable {
        package var customer: CustomerID
        /// A name of the catalog; nil where the catalog has none for what would entitle.
        package var entitlement: String?
        package var environment: AppStoreEnvironment
        /// Until when the customer would have it; where it would be lost, or end earlier, until when it has it now. nil for no end.
        package var validUntil: Moment?

        package init(
            _ customer: CustomerID, _ entitlement: String?, in environment: AppStoreEnvironment, validUntil: Moment?
        ) {
            self.customer = customer
            self.entitlement = entitlement
            self.environment = environment
            self.validUntil = validUntil
        }
    }

    package var wouldGain: [Entitlement]
    package var wouldLose: [Entitlement]
    /// What would be recorded, each once; nothing where the request is fulfilled already.
    package var changes: [Change]
    /// Why nothing would be changed.
    package var refused: ServiceError.Code?

    package init(
        wouldGain: [Entitlement] = [], wouldLose: [Entitlement] = [], changes: [Change] = [],
        refused: ServiceError.Code? = nil
    ) {
        self.wouldGain = wouldGain
        self.wouldLose = wouldLose
        self.changes = changes
        self.refused = refused
    }
}
