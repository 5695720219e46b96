import SubscriptionService

extension String {
    /// The text itself, unless it is longer than any cursor, token or id.
    /// - Parameter name: of the parameter or the field that it was sent as.
    func bounded(as name: String) throws(Problem) -> String {
        let limit = SubscriptionService.longestCursor
        guard self.utf8.count <= limit else { throw .invalidParameter(name, "longer than \(limit) bytes") }
        return self
    }
}
