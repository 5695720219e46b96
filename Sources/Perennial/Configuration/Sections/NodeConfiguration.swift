package struct NodeConfiguration: ConfigurationSection {
    /// `node.id`: names this node in the store; 1 to 128 visible ASCII characters, `node-1` unless set.
    package var id = "node-1"

    package init() {}

    package static let later = ["roles"]
}
