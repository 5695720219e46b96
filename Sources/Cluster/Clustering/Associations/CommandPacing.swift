/// When commands leave that others are under way before: Nagle's algorithm (RFC 896), with commands for bytes. A few leave
/// as they come. From then on those that come gather, and leave together when the ones before have been answered, or have
/// not been for a while: what a message costs, waking threads above all, is divided among more.
struct CommandPacing {
    /// So many may be unanswered without the next having to wait.
    private static let few = 4

    private let patience: Duration
    private var end = ContinuousClock.now

    init(patience: Duration) { self.patience = patience }

    mutating func commandsLeave() { self.end = .now + self.patience }

    /// - Parameter unanswered: of the commands that have left.
    /// - Returns: until when those that come are held at most; nil when they need not be.
    func holdEnd(unanswered: Int) -> ContinuousClock.Instant? {
        unanswered >= Self.few && .now < self.end ? self.end : nil
    }
}
