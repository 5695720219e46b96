/// Is told of every request that was sent.
package protocol ServerAPIObserver: Sendable {
    /// - Parameter code: Apple's errorCode, else the HTTP status, else how it failed, such as `timedOut` or
    ///   `notReached`.
    func answered(_ endpoint: ServerAPIEndpoint, code: String)
}
