/// How this node talks to others. A node without `cluster` is alone.
package struct ClusterSection: ConfigurationSection {
    /// `cluster.bind`: the address and port that other nodes connect to, such as `10.0.0.5:7000`; port 0 takes a free
    /// one. No default.
    package var bind = ""
    /// `cluster.advertise`: the address and port under which others reach it, when that is not `cluster.bind`.
    package var advertise: String?
    /// `cluster.curveKeyFile`: this node's secret CURVE key, as `perennial keys new` writes it. No default.
    package var curveKeyFile = ""
    /// `cluster.shards`: the shards that this node owns, such as `0-127` or `0-63,128-191`; all unless set. Each shard has
    /// to be one node's.
    package var shards: String?

    package init() {}

    package static let later = ["lease"]
}
