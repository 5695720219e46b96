import Subscriptions

/// A node's answer about a moment beside the store's.
package struct AnswerPair {
    private let isPurchase: Bool
    /// nil: the node knows no such thing.
    private let node: [String: String]?
    private let store: [String: String]
    private let missing: [JSONFragment]

    package init(isPurchase: Bool, node: JSONFragment?, store: JSONFragment) {
        self.isPurchase = isPurchase
        self.node = node.map(\.plainMembers)
        self.store = store.plainMembers
        self.missing = store["missing"]?.items ?? []
    }

    /// Empty when both say the same. What the node knows nothing of is one difference: its state.
    package var differences: [Difference] {
        guard let node, node["state"] != nil else {
            return [self.difference("state", self.node == nil ? "unknown" : nil)]
        }
        return self.fields.filter { !Self.isEqual(node[$0], self.store[$0]) }.map { self.difference($0, node[$0]) }
    }

    private var fields: [String] {
        let fields = ["state", "entitled", "productId", "transactionId"]
        if self.isPurchase { return fields }
        let isGrace = self.store["state"] == "grace"
        return fields + ["expiresDate", "autoRenew"] + (isGrace ? ["gracePeriodExpiresDate"] : [])
    }

    private func difference(_ field: String, _ node: String?) -> Difference {
        Difference(
            id: self.store["originalTransactionId"] ?? "", at: self.store["at"] ?? "", field: field, node: node,
            store: self.store[field], reason: self.reason(of: field))
    }

    private func reason(of field: String) -> String? {
        if !self.missing.isEmpty { return self.missing.map(\.sentenceOfMissing).joined(separator: "; ") }
        return self.isPaidLater && ["state", "gracePeriodExpiresDate"].contains(field)
            ? "paid later, and counted from before: in hindsight this period was paid" : nil
    }

    /// Grace in a period that is not over: its payment had not come by then. The store says what it had concluded, the node
    /// what is true in hindsight.
    private var isPaidLater: Bool {
        guard self.store["state"] == "grace", let node, node["state"] == "subscribed",
            node["transactionId"] == self.store["transactionId"],
            let end = self.store["expiresDate"].flatMap({ Moment(rfc3339: $0) }),
            let moment = self.store["at"].flatMap({ Moment(rfc3339: $0) })
        else { return false }
        return moment < end
    }

    /// Dates may be written in several ways.
    private static func isEqual(_ one: String?, _ other: String?) -> Bool {
        if one == other { return true }
        guard let one, let other, let left = Moment(rfc3339: one), let right = Moment(rfc3339: other) else {
            return false
        }
        return left == right
    }
}
