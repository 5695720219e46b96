package import Subscriptions

/// The answer to one entitlement check.
package struct CheckAnswer: Hashable, Sendable {
    package var entitled: Bool
    /// nil when nothing is known.
    package var state: LifecycleState?
    package var code: CohortCode
    /// When access ends unless more is heard; nil when not entitled, and for a purchase without end.
    package var validUntil: Moment?
    package var productID: String?

    package init(entitled: Bool, state: LifecycleState?, code: CohortCode, validUntil: Moment?, productID: String?) {
        self.entitled = entitled
        self.state = state
        self.code = code
        self.validUntil = validUntil
        self.productID = productID
    }

    /// What is answered for a stream without facts.
    package static let unknown = CheckAnswer(
        entitled: false, state: nil, code: .nothing, validUntil: nil, productID: nil)
}
