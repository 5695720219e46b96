import Ownership

extension SubscriptionService {
    /// No cursor and no token has more bytes, however many shards the store has.
    package static let longestCursor = PositionToken.longestText
}
