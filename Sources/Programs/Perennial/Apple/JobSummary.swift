/// Long work of a node, for people.
package struct JobSummary {
    private let job: JSONFragment

    /// - Parameter job: of `GET /v1/reconcile/jobs/{job}`.
    package init(_ job: JSONFragment) { self.job = job }

    package var id: String { self.text("id") }
    package var isRunning: Bool { self.text("state") == "running" }
    package var hasFailed: Bool { self.text("state") == "failed" }

    /// How far it is.
    package var line: String { "\(self.name): \(self.figures)" }

    /// What it came to.
    package var ending: String {
        guard self.hasFailed else { return "\(self.name) is done: \(self.figures)" }
        return "\(self.name) has failed: \(self.text("error")) (until then \(self.figures))"
    }

    private var isRun: Bool { self.text("kind") == "run" }
    private var name: String { "\(self.isRun ? "reconciliation" : "backfill") \(self.id)" }

    private var figures: String {
        var figures = [("requests", "calls"), ("read", "fetched"), ("new", "recorded"), ("known", "duplicates")]
        // Only where there is something to look into.
        figures += [("in quarantine", "quarantined"), ("refused", "refused")].filter { self.text($0.1) != "0" }
        if self.isRun { figures += [("compared", "checked"), ("repaired", "repaired")] }
        return figures.map { "\($0.0) \(self.text($0.1))" }.joined(separator: ", ")
    }

    private func text(_ member: String) -> String { self.job[member]?.plain ?? "-" }
}
