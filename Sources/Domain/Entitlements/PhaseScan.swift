/// How the phases of a row answer at one moment, whatever form they are kept in: the last one that has begun holds, the
/// first one where none has, and access ends with the next phase that gives none. Phases are seen in their order.
package struct PhaseScan {
    /// Milliseconds since 1970.
    @usableFromInline let moment: Int64
    @usableFromInline var seen = 0
    @usableFromInline var givesAccess = false

    /// Of the phase that holds, in the order seen; nil when there is none.
    package var index: Int?
    /// When access ends, milliseconds since 1970; nil when there is none, or no end of it.
    package var end: Int64?

    @inlinable package init(at moment: Int64) { self.moment = moment }

    /// - Parameter from: of the phase, milliseconds since 1970.
    @inlinable package mutating func see(from: Int64, entitled: Bool) {
        if self.index == nil || from <= self.moment {
            self.index = self.seen
            self.givesAccess = entitled
            self.end = nil
        } else if self.givesAccess, !entitled, self.end == nil {
            self.end = from
        }
        self.seen += 1
    }
}
