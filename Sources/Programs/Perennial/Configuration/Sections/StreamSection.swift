/// Whom this node tells of every change. Without `stream.bind` it tells nobody.
package struct StreamSection: ConfigurationSection {
    /// `stream.bind`: the address and port that subscribers connect to, such as `10.0.0.5:7100`; questions are answered at the
    /// port after it. Port 0 takes two free ones. No default.
    package var bind = ""
    /// `stream.curveKeyFile`: the secret CURVE key by which subscribers know this node, as `perennial keys new` writes it;
    /// `cluster.curveKeyFile` unless set.
    package var curveKeyFile: String?
    /// `stream.subscribers`: who gets anything.
    package var subscribers: [SubscriberConfiguration] = []
    /// `stream.staleness`: a `local` answer that may be older says that it is stale; 1s to 1m, 2s unless set.
    package var staleness: ConfigurationDuration?

    package init() {}
}

package struct SubscriberConfiguration: ConfigurationSection {
    /// `stream.subscribers[].name`: tells subscribers apart. No default.
    package var name = ""
    /// `stream.subscribers[].curveKey`: the subscriber's public key, as `perennial keys new` prints it. No default.
    package var curveKey = ""

    package init() {}
}
