package import ServiceContract
package import Subscriptions
import WireProtocol

/// Asks for the answers about those to whom a stream leads, and has led.
package struct ReviewRequest: Sendable {
    /// Of the stream.
    package let key: StreamKey
    package let review: CustomerReview
    /// Of the event that asks.
    package let source: EventSource
    /// Who was never told anything has what it has since before customers were told.
    package let isBaseline: Bool

    package init(_ key: StreamKey, _ review: CustomerReview, by source: EventSource, isBaseline: Bool = false) {
        self.key = key
        self.review = review
        self.source = source
        self.isBaseline = isBaseline
    }

    /// nil for a submission that asks for something else.
    init?(_ submission: Submission) {
        guard let review = submission.bundle.review else { return nil }
        self.init(submission.key, review, by: submission.bundle.source)
    }
}

package enum ReviewOutcome: Sendable {
    /// Everybody has been told what is true.
    case done
    /// Somebody was told something, by what was read before: whether it is still true has to be looked at.
    case again
    case failed(ServiceError)
}

/// Tells customers where the answers about them are other ones than they were told.
package protocol CustomerReviewing: Sendable {
    /// - Returns: one for each.
    func review(_ requests: [ReviewRequest]) async -> [ReviewOutcome]
}
