package import WireProtocol

/// A result that a function returns before it is complete, so that the next call in order need not wait for it. It crosses
/// once it is complete.
package protocol EventualResult: WireRepresentable {
    /// Calls `body` once, now or later, from any thread.
    func whenComplete(_ body: @escaping @Sendable () -> Void)
}
