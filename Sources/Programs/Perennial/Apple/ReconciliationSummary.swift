/// What a node has found out by asking Apple, for people.
package struct ReconciliationSummary {
    private let answer: JSONFragment

    /// - Parameter answer: of `GET /v1/reconcile/report`.
    package init(_ answer: JSONFragment) { self.answer = answer }

    package var lines: [String] {
        [self.accounts.lines, self.problems, self.figures.lines, self.examples].filter { !$0.isEmpty }
            .joined(separator: [""]).map(\.self)
    }

    private var accounts: TextTable {
        var table = TextTable(["APP", "ENVIRONMENT", "STATE", "COVERED UNTIL"])
        for account in self.answer["accounts"]?.items ?? [] {
            table.add(["bundleId", "environment", "state", "coveredUntil"].map { account[$0]?.plain ?? "-" })
        }
        return table
    }

    /// What Apple complains about, and why it could not deliver.
    private var problems: [String] {
        (self.answer["accounts"]?.items ?? []).flatMap { account in
            let name = [account["bundleId"], account["environment"]].compactMap { $0?.plain }.joined(separator: " ")
            let error = account["lastError"]?.plain.map { ["\(name): \($0)"] } ?? []
            return error
                + (account["failedDeliveries"]?.members ?? []).map { result, count in
                    "\(name): \(count.plain ?? "-") not delivered, \(result)  \(SendAttempt(result: result).sentence)"
                }
        }
    }

    private var figures: TextTable {
        var table = TextTable()
        for (label, member) in [("compared", "checked"), ("equal", "equal"), ("repaired", "repaired")] {
            table.add([label, self.answer[member]?.plain ?? "-"])
        }
        for (label, member) in [("by difference", "kinds"), ("by occasion", "reasons")] {
            let counts = (self.answer[member]?.members ?? []).map { "\($0.name) \($0.value.plain ?? "-")" }
            if !counts.isEmpty { table.add([label, counts.joined(separator: ", ")]) }
        }
        if let drift = self.answer["drift"], let sampled = drift["sampled"]?.plain, sampled != "0" {
            table.add(["drift", "\(drift["different"]?.plain ?? "-") of the last \(sampled) that were sampled"])
        }
        table.add(["waiting for Apple", self.answer["awaiting"]?.plain ?? "-"])
        if let sweep = self.answer["lastSweep"], let ended = sweep["ended"]?.plain {
            table.add(["last sweep", "\(Self.figures(of: sweep)), ended \(ended)"])
        }
        if let sweep = self.answer["sweepUnderWay"], let started = sweep["started"]?.plain {
            table.add(["sweep under way", "\(Self.figures(of: sweep)), since \(started)"])
        }
        table.add(["node", self.answer["node"]?.plain ?? "-"])
        table.add(["since", self.answer["since"]?.plain ?? "-"])
        return table
    }

    private static func figures(of sweep: JSONFragment) -> String {
        "compared \(sweep["checked"]?.plain ?? "-"), repaired \(sweep["repaired"]?.plain ?? "-")"
    }

    private var examples: [String] {
        let rows = self.answer["examples"]?.items ?? []
        guard !rows.isEmpty else { return [] }
        var table = TextTable(["AT", "ID", "ENVIRONMENT", "DIFFERENCE", "OCCASION", "BEFORE", "AFTER"])
        for row in rows {
            table.add(
                ["at", "originalTransactionId", "environment", "kind", "reason", "before", "after"].map {
                    row[$0]?.plain ?? "-"
                })
        }
        return table.lines
    }
}
