/// How far a reconciliation has got.
package struct ReconciliationProgress: Hashable, Sendable {
    /// Requests to Apple that were answered.
    package var calls = 0
    /// Signed items that the answers held.
    package var fetched = 0
    /// Items that brought something new.
    package var recorded = 0
    /// Items that were known.
    package var duplicates = 0
    /// Items that are authentic, but not for this configuration.
    package var quarantined = 0
    /// Items that are forged or malformed.
    package var refused = 0
    /// Subscriptions compared with Apple's answer.
    package var checked = 0
    /// Of these, the ones that differed, and agree now.
    package var repaired = 0

    package init() {}

    package static func + (left: Self, right: Self) -> Self {
        var sum = left
        sum.calls += right.calls
        sum.fetched += right.fetched
        sum.recorded += right.recorded
        sum.duplicates += right.duplicates
        sum.quarantined += right.quarantined
        sum.refused += right.refused
        sum.checked += right.checked
        sum.repaired += right.repaired
        return sum
    }

    package static func += (left: inout Self, right: Self) { left = left + right }
}
