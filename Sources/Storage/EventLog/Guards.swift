/// Rules that promises rest on, each of which the tests take away from a node to see that their checks notice. Nothing
/// that an operator writes leads here.
package struct Guards: OptionSet, Sendable {
    package let rawValue: Int

    package init(rawValue: Int) { self.rawValue = rawValue }

    /// An append needs the epoch, the incarnation and the head that the shard's row says.
    package static let fence = Guards(rawValue: 1 << 0)
    /// An answer is not older than the token that came with its question.
    package static let tokens = Guards(rawValue: 1 << 1)

    package static let all: Guards = [.fence, .tokens]
}
