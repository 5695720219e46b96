/// How this node talks to others. A node without `cluster` is alone.
package struct ClusterSection: ConfigurationSection {
    /// `cluster.bind`: the address and port that other nodes connect to, such as `10.0.0.5:7000`; port 0 takes a free
    /// one. No default.
    package var bind = ""
    /// `cluster.advertise`: the address and port under which others reach it, when that is not `cluster.bind`.
    package var advertise: String?
    /// `cluster.curveKeyFile`: this node's secret CURVE key, as `perennial keys new` writes it. No default.
    package var curveKeyFile = ""
    /// `cluster.lease`: for so long the others leave a silent node what it owns; 3s to 1m, 5s unless set.
    package var lease: ConfigurationDuration?
    /// `cluster.shards`: the shards that this node owns, whatever becomes of other nodes, such as `0-127` or `0-63,128-191`.
    /// Unless set, nodes divide the shards by themselves and take over from each other; it is for all of them or for none.
    package var shards: String?

    package init() {}
}
