package import WireProtocol

/// A result that a function returns before it is complete, so that the next call in order need not wait for it. It crosses
/// once it is complete.
package protocol EventualResult: WireRepresentable {
    /// Calls `body` with itself once, now or later, from any thread. A `body` that captured it would keep it alive
    /// where it is never complete.
    func whenComplete(_ body: @escaping @Sendable (Self) -> Void)
}
