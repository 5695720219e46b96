extension JSONFragment {
    /// A customer as lines: what they are entitled to, and then all that leads to them.
    package var customerTable: CustomerTable { CustomerTable(self) }
}

package struct CustomerTable {
    private let customer: JSONFragment

    fileprivate init(_ customer: JSONFragment) { self.customer = customer }

    package var lines: [String] {
        if let changes = self.customer["changes"]?.items { return self.preview(changes) }
        if let target = self.customer["movedTo"]?.plain { return ["moved to \(target.escapingControls)"] }
        var lines = self.table(
            ["ENTITLEMENT", "", "UNTIL", "BY"], of: "entitlements",
            { item in
                let by = item["by"]
                return [
                    item["name"]?.plain, item["entitled"]?.plain == "true" ? "yes" : "no", item["validUntil"]?.plain,
                    by?["id"]?.plain.map { "\(by?["kind"]?.plain ?? "") \($0)" },
                ]
            })
        lines.append("")
        lines += self.table(
            ["KIND", "ID", "STATE", "PRODUCT", "UNTIL", "BECAUSE", "ENVIRONMENT"], of: "streams",
            { item in
                ["kind", "originalTransactionId", "state", "productId", "validUntil", "because", "environment"].map {
                    item[$0]?.plain
                }
            })
        if let grants = self.customer["grants"]?.items, !grants.isEmpty {
            lines += [""] + Self.lines(ofGrants: grants)
        }
        if let attributes = self.customer["attributes"]?.members, !attributes.isEmpty {
            lines.append("")
            var table = TextTable(["ATTRIBUTE", "VALUE"])
            for (name, value) in attributes { table.add([name, value.plain ?? "-"]) }
            lines += table.lines
        }
        for (member, name) in [("appAccountTokens", "tokens"), ("appTransactionIds", "app transactions")] {
            let texts = (self.customer["identifiers"]?[member]?.items ?? []).compactMap(\.plain)
            if !texts.isEmpty { lines += ["", "registered \(name): \(texts.joined(separator: ", "))"] }
        }
        lines += self.duplicatePayments + self.history
        guard let conflicts = self.customer["conflicts"]?.items, !conflicts.isEmpty else { return lines }
        let ids = conflicts.compactMap { $0["originalTransactionId"]?.plain }.joined(separator: ", ")
        return lines + ["", "another customer's, whom a link was refused: \(ids)"]
    }

    private var duplicatePayments: [String] {
        let duplicates = self.customer["duplicatePayments"]?.items ?? []
        guard !duplicates.isEmpty else { return [] }
        return [""]
            + Self.table(["PAYS TWICE FOR", "SINCE", "ONE", "OTHER"], duplicates) { item in
                let payments = (item["payments"]?.items ?? []).map { payment in
                    ["kind", "id"].compactMap { payment[$0]?.plain }.joined(separator: " ")
                }
                return [item["entitlement"]?.plain, item["since"]?.plain] + payments
            }
    }

    /// What has been said of the customer lately.
    private var history: [String] {
        let events = (self.customer["history"]?.items ?? []).prefix(Self.shownEvents)
        guard !events.isEmpty else { return [] }
        return [""]
            + Self.table(["AT", "EVENT", "KIND", "BEFORE", "AFTER", "BY", "REASON"], Array(events)) { item in
                ["at", "event", "kind", "before", "after", "actor", "reason"].map { item[$0]?.plain }
            }
    }

    private static let shownEvents = 10

    /// What a change would come to.
    private func preview(_ changes: [JSONFragment]) -> [String] {
        if let code = self.customer["refused"]?.plain { return ["would be refused: \(code.escapingControls)"] }
        guard !changes.isEmpty else { return ["nothing would change"] }
        var table = TextTable(["CUSTOMER", "WOULD", "ENTITLEMENT", "UNTIL", "ENVIRONMENT"])
        for (word, member) in [("lose", "wouldLose"), ("gain", "wouldGain")] {
            for item in self.customer[member]?.items ?? [] {
                table.add([
                    item["customerId"]?.plain ?? "-", word, item["entitlement"]?.plain ?? "-",
                    item["validUntil"]?.plain ?? "-", item["environment"]?.plain ?? "-",
                ])
            }
        }
        let kinds = changes.compactMap(\.plain).joined(separator: ", ")
        return table.lines.count > 1
            ? table.lines : ["would be recorded: \(kinds); no entitlement would begin or end"]
    }

    static func lines(ofGrants grants: [JSONFragment]) -> [String] {
        Self.table(
            ["GRANT", "ENTITLEMENT", "FROM", "UNTIL", "REVOKED", "SOURCE", "REASON", "ENVIRONMENT"], grants,
            { item in
                ["id", "entitlement", "from", "until", "revokedAt", "source", "reason", "environment"].map {
                    item[$0]?.plain
                }
            })
    }

    private func table(
        _ head: [String], of member: String, _ row: (JSONFragment) -> [String?]
    ) -> [String] {
        Self.table(head, self.customer[member]?.items ?? [], row)
    }

    private static func table(
        _ head: [String], _ items: [JSONFragment], _ row: (JSONFragment) -> [String?]
    ) -> [String] {
        var table = TextTable(head)
        for item in items { table.add(row(item).map { $0 ?? "-" }) }
        return table.lines
    }
}
