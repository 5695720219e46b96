/// When to say that signed payloads are refused: where nothing is accepted beside them, it is not forgeries alone, but the roots that
/// are configured, say.
package struct RefusalNotice: Sendable {
    /// So long nothing has to have been accepted.
    package static let silence = Duration.seconds(3_600)

    private var lastAcceptance: ContinuousClock.Instant?
    private var isTold = false

    package init() {}

    package mutating func recordAcceptance(at now: ContinuousClock.Instant) {
        self.lastAcceptance = now
        self.isTold = false
    }

    /// - Returns: whether to say so now: once, until something is accepted.
    package mutating func recordRefusal(at now: ContinuousClock.Instant) -> Bool {
        guard !self.isTold, self.lastAcceptance.map({ now - $0 >= Self.silence }) ?? true else { return false }
        self.isTold = true
        return true
    }
}
