extension GracePolicy {
    /// A length, or a section with it.
    init(_ node: ScenarioNode) throws(ScenarioError) {
        guard node.scalar == nil else {
            self.init(length: try Self.length(node))
            return
        }
        let section = try ScenarioSection(node, "a grace period", keys: ["length", "includesTrials"])
        self.init(
            length: try section["length"].map(Self.length) ?? GracePolicy().length,
            includesTrials: try section["includesTrials"]?.flag() ?? GracePolicy().includesTrials)
    }

    private static func length(_ node: ScenarioNode) throws(ScenarioError) -> Length {
        switch node.scalar {
        case "none": .none
        case "3d": .days3
        case "16d": .days16
        case "28d": .days28
        default: throw node.expected("none, 3d, 16d or 28d")
        }
    }
}
