package import AppStoreSimulator
package import Subscriptions

/// A moment of a simulated life, and what Perennial answers from then on.
package struct LifeMoment: Sendable {
    package enum Cause: Hashable, Sendable {
        /// The store said so.
        case told(type: String, subtype: String?, status: Int?)
        /// Nothing was said: time alone changed the answer.
        case passed(Change)
    }

    package let at: Moment
    package let cause: Cause
    /// nil for what is only recorded.
    package let answer: SubscriptionSnapshot?
    /// What is true at that moment; nil for what is only recorded.
    package let truth: Truth.State?

    /// Whether the answer is the truth.
    package var agrees: Bool { self.answer?.state.rawValue == self.truth?.rawValue }
}
