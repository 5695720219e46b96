/// A node's check by customer beside what is true of that customer.
package struct CustomerAnswerPair {
    private let environment: String
    private let node: [String: String]
    /// What gives access by the node's word.
    private let giver: [String: String]
    private let store: JSONFragment
    private let truth: [String: String]

    /// - Parameters:
    ///   - environment: in which the node was asked.
    ///   - node: a result of `POST /v1/check`.
    ///   - store: an answer of `GET /truth/customers/{customerId}` about the same moment.
    package init(environment: String, node: JSONFragment, store: JSONFragment) {
        self.environment = environment
        self.node = node.plainMembers
        self.giver = node["by"]?.plainMembers ?? [:]
        self.store = store
        self.truth = store.plainMembers
    }

    /// Empty when both say the same.
    package var differences: [Difference] {
        let isEntitled = self.node["entitled"] == "true"
        var differences: [Difference] = []
        if self.node["movedTo"] != self.truth["movedTo"] {
            differences.append(self.difference("movedTo", self.node["movedTo"], self.truth["movedTo"]))
        }
        guard isEntitled else {
            return self.giving.isEmpty
                ? differences : differences + [self.difference("entitled", self.node["entitled"], "true")]
        }
        return differences + self.differencesOfGiver
    }

    /// Who has access has it by something that gives it. What was bought in Sandbox may count in Production, where the node is
    /// configured so.
    private var differencesOfGiver: [Difference] {
        let giving = self.giving
        guard !giving.isEmpty else { return [self.difference("entitled", "true", "false")] }
        let name = Self.name(self.giver)
        guard let holding = giving.first(where: { Self.name($0) == name }) else {
            return [self.difference("by", name, giving.map(Self.name).joined(separator: ", "))]
        }
        var differences: [Difference] = []
        if holding["kind"] != "grant", holding["productId"] != self.giver["productId"] {
            differences.append(self.difference("productId", self.giver["productId"], holding["productId"]))
        }
        if holding["environment"] != self.node["environment"] {
            differences.append(self.difference("environment", self.node["environment"], holding["environment"]))
        }
        return differences
    }

    /// Where something was bought that a check in this environment leaves out, unless the node is configured otherwise.
    package var otherEnvironments: [String] {
        let names = (self.store["holdings"]?.items ?? []).compactMap { $0["environment"]?.plain }
        return Set(names).subtracting([self.environment]).sorted()
    }

    private var giving: [[String: String]] {
        (self.store["holdings"]?.items ?? []).map(\.plainMembers).filter { holding in
            guard holding["entitled"] == "true" else { return false }
            return holding["environment"] == self.environment
                || (self.environment == "Production" && self.node["environment"] == "Sandbox")
        }
    }

    private static func name(_ holding: [String: String]) -> String {
        "\(holding["kind"] ?? "nothing") \(holding["id"] ?? "")"
    }

    private func difference(_ field: String, _ node: String?, _ store: String?) -> Difference {
        let missing = self.store["missing"]?.items ?? []
        return Difference(
            id: self.truth["customerId"] ?? "", at: self.truth["at"] ?? "", field: field, node: node, store: store,
            reason: missing.isEmpty ? nil : missing.map(\.sentenceOfMissing).joined(separator: "; "))
    }
}
