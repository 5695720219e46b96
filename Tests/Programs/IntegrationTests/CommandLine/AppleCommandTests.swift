import Foundation
import Testing

/// The commands that have a node ask Apple, with a node that answers as a test says.
@Suite(.enabled(if: TestBinary.path != nil, "build the perennial product to run these"), .timeLimit(.minutes(5)))
struct AppleCommandTests {
    private static func job(_ state: String, fetched: Int, error: String = "null") -> String {
        """
        {"id":"3","kind":"backfill","state":"\(state)","from":null,"to":null,"calls":1,"fetched":\(fetched),"recorded":1,\
        "duplicates":0,"quarantined":0,"refused":0,"checked":0,"repaired":0,"error":\(error),\
        "started":"2026-11-22T23:00:00.000Z","ended":null}
        """
    }

    private static let stretch = ["--from", "2026-11-01T00:00:00Z", "--to", "2026-11-08T00:00:00Z"]

    private func run(_ node: ScriptedNode, _ arguments: [String]) async throws -> PerennialProcess.Result {
        try await PerennialProcess(arguments: arguments + ["--node", node.url]).result()
    }

    @Test func aBackfillIsFollowedToItsEnd() async throws {
        let node = try await ScriptedNode([
            "POST /v1/reconcile/backfill": [.init(status: 202, body: Self.job("running", fetched: 0))],
            "GET /v1/reconcile/jobs/3": [
                .init(body: Self.job("running", fetched: 1)), .init(body: Self.job("done", fetched: 2)),
            ],
        ])
        let result = try await self.run(node, ["notifications", "backfill"] + Self.stretch)
        await node.stop()

        #expect(result.status == 0, "\(result.errors)")
        let lines = result.output.split(separator: "\n")
        #expect(lines.first == "backfill 3: requests 1, read 0, new 1, known 0")
        #expect(lines.last == "backfill 3 is done: requests 1, read 2, new 1, known 0")
        #expect(
            node.bodies(of: "POST /v1/reconcile/backfill") == [
                #"{"from":"2026-11-01T00:00:00.000Z","to":"2026-11-08T00:00:00.000Z"}"#
            ])
    }

    @Test func forProgramsOnlyTheEndIsOnStandardOutput() async throws {
        let done = Self.job("done", fetched: 2)
        let node = try await ScriptedNode([
            "POST /v1/reconcile/backfill": [.init(status: 202, body: Self.job("running", fetched: 0))],
            "GET /v1/reconcile/jobs/3": [.init(body: done)],
        ])
        let result = try await self.run(node, ["notifications", "backfill", "--output", "json"] + Self.stretch)
        await node.stop()

        #expect(result.status == 0)
        #expect(result.output == done + "\n")
    }

    @Test func workThatFailedIs1() async throws {
        let failed = Self.job("failed", fetched: 2, error: #""Apple refuses the key""#)
        let node = try await ScriptedNode(["GET /v1/reconcile/jobs/3": [.init(body: failed)]])
        let result = try await self.run(node, ["reconcile", "watch", "3"])
        await node.stop()

        #expect(result.status == 1)
        #expect(
            result.errorLines == [
                "error: backfill 3 has failed: Apple refuses the key (until then requests 1, read 2, new 1, known 0)"
            ])
    }

    @Test func anInterruptLeavesTheWorkToTheNode() async throws {
        let node = try await ScriptedNode([
            "POST /v1/reconcile/run": [.init(status: 202, body: Self.job("running", fetched: 0))],
            "GET /v1/reconcile/jobs/3": [.init(body: Self.job("running", fetched: 1))],
        ])
        let command = try PerennialProcess("reconcile", "run", "--node", node.url)
        _ = try await command.text(containing: "read 0")
        while node.bodies(of: "GET /v1/reconcile/jobs/3").isEmpty { try await Task.sleep(for: .milliseconds(10)) }
        command.interrupt()
        let result = await command.result()
        await node.stop()

        #expect(result.status == 1)
        #expect(
            result.errorLines == ["The node goes on with it; to see how far it is: perennial reconcile watch 3"])
    }

    @Test(arguments: [("arrived", Int32(0)), ("failed", 1), ("deliveredElsewhere", 1)])
    func aTestNotificationSaysWhatBecameOfIt(_ state: String, _ status: Int32) async throws {
        let attempts = #"[{"date":"2026-11-22T23:00:00.000Z","result":"TLS_ISSUE"}]"#
        let node = try await ScriptedNode([
            "POST /v1/apple/test-notifications": [.init(status: 202, body: #"{"token":"ab-1"}"#)],
            "GET /v1/apple/test-notifications/ab-1": [
                .init(body: #"{"state":"\#(state)","attempts":\#(attempts)}"#)
            ],
        ])
        let table = try await self.run(node, ["notifications", "test", "--environment", "Sandbox"])
        let json = try await self.run(node, ["notifications", "test", "--output", "json"])
        await node.stop()

        #expect(table.status == status)
        #expect(table.output.contains("TLS_ISSUE") == (state != "deliveredElsewhere"))
        #expect(json.status == status)
        #expect(json.output == #"{"token":"ab-1","state":"\#(state)","attempts":\#(attempts)}"# + "\n")
        #expect(
            node.bodies(of: "POST /v1/apple/test-notifications") == [#"{"environment":"Sandbox"}"#, "{}"])
    }

    @Test func aTestThatTakesTooLongCanBeAskedAboutLater() async throws {
        let node = try await ScriptedNode([
            "GET /v1/apple/test-notifications/ab-1": [.init(body: #"{"state":"pending","attempts":[]}"#)]
        ])
        let result = try await self.run(
            node, ["notifications", "test", "--token", "ab-1", "--wait", "0", "--environment", "Sandbox"])
        await node.stop()

        #expect(result.status == 1)
        #expect(
            result.output.hasSuffix(
                "Ask again later: perennial notifications test --token ab-1 --environment Sandbox\n"))
    }

    @Test func plainWordsBecomeApples() async throws {
        let node = try await ScriptedNode([
            "PUT /v1/subscriptions/7/consumption": [.init(status: 202, body: "{}")],
            "PUT /v1/purchases/8/consumption": [.init(status: 202, body: "{}")],
            "POST /v1/subscriptions/7/extend": [
                .init(body: #"{"success":true,"effectiveDate":"2026-12-22T23:00:00.000Z","requestIdentifier":"o-1"}"#)
            ],
        ])
        let reply = try await self.run(
            node,
            [
                "consumption", "reply", "7", "--consented", "--delivery", "delivered", "--sample", "--consumed", "12.5",
                "--refund", "prorated", "--transaction", "71",
            ])
        let purchase = try await self.run(
            node,
            ["consumption", "reply", "8", "--purchase", "--consented", "--delivery", "delivered", "--no-sample"])
        let extended = try await self.run(
            node,
            [
                "subscription", "extend", "7", "--days", "14", "--reason", "service-issue", "--request-identifier",
                "o-1",
            ])
        await node.stop()

        #expect(reply.status == 0, "\(reply.errors)")
        #expect(
            node.bodies(of: "PUT /v1/subscriptions/7/consumption") == [
                #"{"customerConsented":true,"deliveryStatus":"DELIVERED","sampleContentProvided":true,"#
                    + #""consumptionPercentage":12500,"refundPreference":"GRANT_PRORATED","transactionId":"71"}"#
            ])
        #expect(purchase.status == 0, "\(purchase.errors)")
        #expect(
            node.bodies(of: "PUT /v1/purchases/8/consumption") == [
                #"{"customerConsented":true,"deliveryStatus":"DELIVERED","sampleContentProvided":false}"#
            ])
        #expect(extended.status == 0, "\(extended.errors)")
        #expect(
            node.bodies(of: "POST /v1/subscriptions/7/extend") == [
                #"{"days":14,"reason":"serviceIssue","requestIdentifier":"o-1"}"#
            ])
    }

    @Test func anExtensionThatAppleMayHaveMadeIs4() async throws {
        let problem = #"{"code":"appStoreOutcomeUnknown","detail":"Apple may have extended it"}"#
        let node = try await ScriptedNode([
            "POST /v1/subscriptions/7/extend": [.init(status: 409, body: problem)]
        ])
        let result = try await self.run(
            node, ["subscription", "extend", "7", "--days", "14", "--reason", "service-issue"])
        await node.stop()

        #expect(result.status == 4)
        #expect(result.errorLines == ["error: appStoreOutcomeUnknown: Apple may have extended it"])
        #expect(node.bodies(of: "POST /v1/subscriptions/7/extend").count == 1)
    }

    @Test func aRefusalOfTheNodesIsOneLine() async throws {
        let problem = #"{"code":"notConfigured","detail":"Apple cannot be asked"}"#
        let node = try await ScriptedNode([
            "GET /v1/reconcile/report": [.init(status: 409, body: problem)],
            "POST /v1/subscriptions/7/refresh": [.init(status: 409, body: problem)],
        ])
        let report = try await self.run(node, ["reconcile", "report"])
        let refresh = try await self.run(node, ["subscription", "refresh", "7"])
        await node.stop()

        for result in [report, refresh] {
            #expect(result.status == 1)
            #expect(result.errorLines == ["error: notConfigured: Apple cannot be asked"])
        }
    }
}
