package import Subscriptions

/// The whole life of one subscription or purchase without a network: what the store sent, and what was true.
package struct SimulatedLifecycle: Sendable {
    /// In the order of signing; all about `truth.originalTransactionID`.
    package let notifications: [SignedNotification]
    package let truth: Truth
    /// As it stood after each step that changed it, oldest first.
    let records: [(from: Moment, truth: Truth)]

    /// The truth by what the store had concluded at a moment: with what it foresaw then, and without hindsight. nil before
    /// the first conclusion.
    package func truth(knownAt moment: Moment) -> Truth? { self.records.last { $0.from <= moment }?.truth }
}
