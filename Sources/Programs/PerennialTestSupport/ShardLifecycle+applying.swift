package import Ownership

extension ShardLifecycle {
    /// Takes an event, and applies at once what the store has said, as a writer without any delay does.
    /// - Returns: whether the event was taken.
    @discardableResult
    package mutating func takeAndApply(_ event: ShardEvent) -> Bool {
        guard let actions = self.handle(event) else { return false }
        if let news = actions.writer { _ = self.handle(.applied(news)) }
        return true
    }
}
