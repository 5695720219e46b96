/// Long work of a node, for people.
package struct JobSummary {
    private let job: JSONFragment

    /// - Parameter job: of `GET /v1/reconcile/jobs/{job}` or `GET /v1/jobs/{job}`.
    package init(_ job: JSONFragment) { self.job = job }

    package var id: String { self.text("id") }
    package var isRunning: Bool { self.text("state") == "running" }
    /// It has ended before it was done.
    package var hasFailed: Bool { !self.isRunning && self.text("state") != "done" }

    /// How far it is.
    package var line: String { "\(self.name): \(self.figures)" }

    /// What it came to.
    package var ending: String {
        switch self.text("state") {
        case "failed":
            let reason = self.isStored ? self.text("message") : self.text("error")
            return "\(self.name) has failed: \(reason) (until then \(self.figures))"
        case "cancelled": return "\(self.name) was cancelled (until then \(self.figures))"
        default:
            let note = self.isStored ? self.job["message"]?.plain.map { ": \($0)" } ?? "" : ""
            return "\(self.name) is done: \(self.figures)\(note)"
        }
    }

    private var isRun: Bool { self.text("kind") == "run" }
    /// Its row is in the store.
    private var isStored: Bool { ["reevaluate", "erase", "convert"].contains(self.text("kind")) }

    private var name: String {
        let kind =
            switch self.text("kind") {
            case "reevaluate": "reevaluation"
            case "erase": "deletion"
            case "convert": "conversion of look-ups"
            case "run": "reconciliation"
            default: "backfill"
            }
        return "\(kind) \(self.text("id"))"
    }

    private var figures: String {
        if self.isStored {
            let waits = self.isRunning ? self.job["message"]?.plain.map { ", waits: \($0)" } ?? "" : ""
            return "examined \(self.text("examined")), changed \(self.text("changed"))\(waits)"
        }
        var figures = [("requests", "calls"), ("read", "fetched"), ("new", "recorded"), ("known", "duplicates")]
        // Only where there is something to look into.
        figures += [("in quarantine", "quarantined"), ("refused", "refused")].filter { self.text($0.1) != "0" }
        if self.isRun { figures += [("compared", "checked"), ("repaired", "repaired")] }
        return figures.map { "\($0.0) \(self.text($0.1))" }.joined(separator: ", ")
    }

    private func text(_ member: String) -> String { self.job[member]?.plain ?? "-" }
}
