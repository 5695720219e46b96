package import Subscriptions

/// What has changed since a move, and stays where it is when the move is taken back.
package enum NotUndone: Hashable, Sendable {
    /// It leads to somebody else because of a later link.
    case stream(StreamKey)
    /// Somebody else has registered it, or it was released.
    case identifier(RegistrableIdentifier)
    /// The id of a grant that was extended, replaced or taken back.
    case grant(String)
    /// The name of an attribute that was set again.
    case attribute(String)
}
