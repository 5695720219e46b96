import Perennial
import Testing

/// What an operator reads of what Apple was asked for.
@Suite struct AppleSummaryTests {
    private func json(_ text: String) throws -> JSONFragment { try JSONFragment(Array(text.utf8)) }

    private static let results = [
        "SUCCESS", "TIMED_OUT", "TLS_ISSUE", "CIRCULAR_REDIRECT", "NO_RESPONSE", "SOCKET_ISSUE", "UNSUPPORTED_CHARSET",
        "INVALID_RESPONSE", "PREMATURE_CLOSE", "UNSUCCESSFUL_HTTP_RESPONSE_CODE", "OTHER",
    ]

    @Test("every result of an attempt has a sentence of its own, the older name of one the same")
    func explainsAttempts() {
        let sentences = Self.results.map { SendAttempt(result: $0).sentence }

        #expect(Set(sentences).count == sentences.count)
        #expect(sentences.allSatisfy { !$0.contains("this version") && !$0.contains("\n") })
        #expect(SendAttempt(result: "SSL_ISSUE").sentence == SendAttempt(result: "TLS_ISSUE").sentence)
        #expect(SendAttempt(result: "TLS_ISSUE").sentence.contains("certificate is publicly trusted"))
        #expect(SendAttempt(result: "MOON_ECLIPSE").sentence.contains("MOON_ECLIPSE"))
    }

    @Test("a test notification that arrived says so, and what it took")
    func tellsOfArrival() throws {
        let summary = TestNotificationSummary(
            try self.json(
                #"""
                {"state": "arrived", "attempts": [{"date": "2026-11-22T23:01:00.000Z", "result": "SUCCESS"},
                    {"date": "2026-11-22T23:00:00.000Z", "result": "TIMED_OUT"}]}
                """#))

        #expect(summary.state == .arrived)
        #expect(summary.lines.count == 2)
        #expect(summary.lines[0].hasPrefix("The test notification has come"))
        #expect(summary.lines[1].hasPrefix("2026-11-22T23:00:00.000Z  TIMED_OUT  Apple waited for your endpoint"))
    }

    @Test("one that failed has a line for each attempt, the oldest first")
    func tellsOfFailure() throws {
        let summary = TestNotificationSummary(
            try self.json(
                #"""
                {"state": "failed", "attempts": [{"date": "2026-11-22T23:01:00.000Z", "result": "NO_RESPONSE"},
                    {"date": "2026-11-22T23:00:00.000Z", "result": "TLS_ISSUE"}]}
                """#))

        #expect(summary.lines.map { $0.split(separator: "  ")[1] } == ["TLS_ISSUE", "NO_RESPONSE"])
    }

    @Test("one that went elsewhere leads to App Store Connect")
    func tellsOfAnotherURL() throws {
        let summary = TestNotificationSummary(
            try self.json(#"{"state": "deliveredElsewhere", "attempts": [{"date": null, "result": "SUCCESS"}]}"#))

        #expect(summary.lines.count == 1)
        #expect(summary.lines[0].contains("App Store Connect"))
        #expect(TestNotificationSummary(try self.json(#"{"state": "lost", "attempts": []}"#)).state == nil)
    }

    private static func job(kind: String, state: String, error: String = "null", refused: Int = 0) -> String {
        """
        {"id": "3", "kind": "\(kind)", "state": "\(state)", "from": null, "to": null, "calls": 12, "fetched": 230,
         "recorded": 5, "duplicates": 225, "quarantined": 0, "refused": \(refused), "checked": 40, "repaired": 2,
         "error": \(error), "started": "2026-11-22T23:00:00.000Z", "ended": null}
        """
    }

    @Test("a backfill tells what it has read, and what cannot be used only where there is any")
    func tellsOfBackfills() throws {
        let plain = JobSummary(try self.json(Self.job(kind: "backfill", state: "running")))
        let troubled = JobSummary(try self.json(Self.job(kind: "backfill", state: "done", refused: 1)))

        #expect(plain.isRunning)
        #expect(plain.line == "backfill 3: requests 12, read 230, new 5, known 225")
        #expect(!troubled.isRunning)
        #expect(troubled.ending == "backfill 3 is done: requests 12, read 230, new 5, known 225, refused 1")
    }

    @Test("a reconciliation tells what it has compared, and why it ended early")
    func tellsOfReconciliations() throws {
        let failed = JobSummary(
            try self.json(Self.job(kind: "run", state: "failed", error: #""Apple refuses the key""#)))

        #expect(failed.hasFailed)
        #expect(
            failed.ending
                == "reconciliation 3 has failed: Apple refuses the key (until then requests 12, read 230, new 5, "
                + "known 225, compared 40, repaired 2)")
    }

    @Test("a report has the accounts, what hinders deliveries, the figures and the newest differences")
    func summarizesReports() throws {
        let report = ReconciliationSummary(
            try self.json(
                #"""
                {"node": "node-1", "since": "2026-11-22T20:00:00.000Z", "asOf": "2026-11-22T23:00:00.000Z",
                 "checked": 40, "equal": 38, "repaired": 2, "reasons": {"sweep": 2},
                 "kinds": {"missedRenewal": 1, "missedRevocation": 1},
                 "examples": [{"originalTransactionId": "7", "environment": "Production", "bundleId": "com.example.app",
                    "reason": "sweep", "kind": "missedRenewal", "before": "expired", "after": "subscribed",
                    "at": "2026-11-22T22:00:00.000Z"}],
                 "drift": {"sampled": 40, "different": 2}, "lastSweep": null, "sweepUnderWay": {"checked": 40, "repaired": 2,
                    "started": "2026-11-22T21:00:00.000Z", "ended": null}, "awaiting": 3,
                 "accounts": [{"bundleId": "com.example.app", "environment": "Production", "state": "covered",
                    "coveredUntil": "2026-11-22T22:59:00.000Z", "lastError": null, "failedDeliveries": {"TIMED_OUT": 4},
                    "budget": {"statuses": 25}}]}
                """#))

        let lines = report.lines
        #expect(
            lines.prefix(3) == [
                "APP              ENVIRONMENT  STATE    COVERED UNTIL",
                "com.example.app  Production   covered  2026-11-22T22:59:00.000Z",
                "",
            ])
        #expect(lines[3].hasPrefix("com.example.app Production: 4 not delivered, TIMED_OUT  Apple waited"))
        #expect(lines[4] == "")
        #expect(
            lines[5..<15] == [
                "compared           40", "equal              38", "repaired           2",
                "by difference      missedRenewal 1, missedRevocation 1", "by occasion        sweep 2",
                "drift              2 of the last 40 that were sampled", "waiting for Apple  3",
                "sweep under way    compared 40, repaired 2, since 2026-11-22T21:00:00.000Z",
                "node               node-1", "since              2026-11-22T20:00:00.000Z",
            ])
        #expect(lines[15] == "")
        #expect(lines[16].hasPrefix("AT "))
        #expect(lines[17].hasSuffix("missedRenewal  sweep     expired  subscribed"))
        #expect(lines.count == 18)
    }
}
