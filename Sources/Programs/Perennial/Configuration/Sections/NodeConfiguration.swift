package struct NodeConfiguration: ConfigurationSection {
    /// `node.id`: names this node in the store; 1 to 128 visible ASCII characters, `node-1` unless set.
    package var id = "node-1"

    /// `node.roles`: what it does beside owning shards. `mirror`: it keeps all entitlements in memory and answers `local`
    /// checks from there; only with `cluster` and `stream.bind`. `[mirror]` unless set.
    package var roles = ["mirror"]

    package init() {}
}
