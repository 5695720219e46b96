/// Why an attempt failed.
package struct DeliveryFailure: Error, Hashable, Sendable {
    /// A few words for people, without an address: a status, or what kept us from getting one.
    package var reason: String
    /// The endpoint is not there, or has no time; otherwise it was asked, and did not take this message.
    package var isAbsence: Bool
    /// Seconds that it asked us to wait.
    package var retryAfter: Int64?
    /// It wants nothing any more (410).
    package var isGone: Bool

    package init(_ reason: String, isAbsence: Bool, retryAfter: Int64? = nil, isGone: Bool = false) {
        self.reason = reason
        self.isAbsence = isAbsence
        self.retryAfter = retryAfter
        self.isGone = isGone
    }
}
