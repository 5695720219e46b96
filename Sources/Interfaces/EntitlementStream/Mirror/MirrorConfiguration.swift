/// How a node keeps a mirror.
package struct MirrorConfiguration: Sendable {
    /// `stream.staleness`.
    package var staleness: Duration
    /// The host under which other nodes reach the stream, when that is not the one that it is bound to.
    package var advertisedHost: String?

    package init(staleness: Duration, advertisedHost: String?) {
        self.staleness = staleness
        self.advertisedHost = advertisedHost
    }
}
