/// Keys and values of which every key is known.
struct ScenarioSection {
    private let node: ScenarioNode
    private let values: [String: ScenarioNode]

    /// - Parameter what: for messages: "a product".
    /// - Throws: for the first unknown key, which names the nearest known one, and for what is no section.
    init(_ node: ScenarioNode, _ what: String, keys known: [String]) throws(ScenarioError) {
        guard let pairs = node.pairs else {
            throw node.expected("\(what) with keys such as \"\(known.first ?? "")\"")
        }
        var values: [String: ScenarioNode] = [:]
        for (key, value) in pairs {
            guard let name = key.scalar, known.contains(name) else { throw key.unknown("key", among: known) }
            if !value.isNothing { values[name] = value }
        }
        self.node = node
        self.values = values
    }

    /// nil for a key that is not there, or has nothing after it.
    subscript(key: String) -> ScenarioNode? { self.values[key] }

    func required(_ key: String) throws(ScenarioError) -> ScenarioNode {
        guard let value = self.values[key] else { throw self.node.mistake("\"\(key)\" is missing") }
        return value
    }

    /// Those that are there.
    var keys: some Sequence<String> { self.values.keys.sorted() }
}
