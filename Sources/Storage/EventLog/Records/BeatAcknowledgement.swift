/// A store has taken a sign of life.
package struct BeatAcknowledgement: Hashable, Sendable {
    /// By the store's clock, in milliseconds since 1970; nil for a store that has none of its own.
    package var time: Int64?

    package init(time: Int64?) { self.time = time }
}
