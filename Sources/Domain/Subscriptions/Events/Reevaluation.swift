/// What an event says that no fact has caused: rules, catalog or logic have changed, and with them the answer
/// (`reevaluated`, source `rules`). Both answers are of the moment up to which the stream's transitions had been told.
package struct Reevaluation: Hashable, Sendable {
    /// What a check said at one moment.
    package struct Answer: Hashable, Sendable {
        package var entitled: Bool
        /// nil when nothing was known.
        package var state: LifecycleState?
        /// As answers spell it.
        package var code: String
        package var productID: String?
        /// nil when not entitled, and where there is no end.
        package var validUntil: Moment?
        /// Names of the catalog that it gave, sorted.
        package var entitlements: [String]

        package init(
            entitled: Bool, state: LifecycleState?, code: String, productID: String?, validUntil: Moment?,
            entitlements: [String]
        ) {
            self.entitled = entitled
            self.state = state
            self.code = code
            self.productID = productID
            self.validUntil = validUntil
            self.entitlements = entitlements
        }
    }

    /// By the rules under which the stream was told last.
    package var previous: Answer
    package var current: Answer

    package init(previous: Answer, current: Answer) {
        self.previous = previous
        self.current = current
    }
}
