import AppStoreSimulator
import Foundation
import Testing

@Suite(.enabled(if: TestBinary.path != nil, "build the perennial product to run these"))
struct ServeCommandTests {
    @Test func takesNotificationsAnswersAndStops() async throws {
        // given
        let fixture = try NodeFixture()
        let active = try fixture.lifecycle(status: 1)
        let expired = try fixture.lifecycle(status: 2)
        let (node, url) = try await fixture.start()

        // when
        try await fixture.post(active.notifications + expired.notifications, to: url)
        let entitled = try await PerennialProcess.run(
            "check", "--subscription", active.truth.originalTransactionID, "--entitlement", "everything", "--node", url)
        let other = try await PerennialProcess.run(
            "check", "--subscription", active.truth.originalTransactionID, "--entitlement", "none", "--node", url)
        let purchase = try await PerennialProcess.run("check", "--purchase", "404", "--node", url)
        let not = try await PerennialProcess.run(
            "check", "--subscription", expired.truth.originalTransactionID, "--output", "json",
            environment: ["PERENNIAL_NODE": url])
        let history = try await PerennialProcess.run(
            "subscription", "history", active.truth.originalTransactionID, "--output", "json", "--node", url)
        let before = try await PerennialProcess.run(
            "subscription", "history", active.truth.originalTransactionID, "--at", "2023-12-31T00:00:00Z", "--node",
            url)
        let until = try await PerennialProcess.run(
            "subscription", "history", active.truth.originalTransactionID, "--at", "2999-12-31T00:00:00Z", "--output",
            "json", "--node", url)
        let show = try await PerennialProcess.run(
            "subscription", "show", active.truth.originalTransactionID, "--node", url)
        let explanation = try await PerennialProcess.run(
            "subscription", "explain", active.truth.originalTransactionID, "--node", url)
        let unknown = try await PerennialProcess.run("subscription", "show", "404", "--node", url)
        let events = try await PerennialProcess.run("events", "tail", "--output", "json", "--node", url)
        let quarantine = try await PerennialProcess.run("quarantine", "replay", "--node", url)
        node.interrupt()
        let stopped = await node.result()

        // then
        #expect(entitled.status == 0)
        #expect(entitled.output.hasPrefix("entitled, subscribed, "))
        #expect(other.status == 2)
        #expect(other.errors.contains("unknownEntitlement"))
        #expect(purchase.status == 3)
        #expect(purchase.output.contains("unknownPurchase"))
        #expect(not.status == 3)
        for part in [#""entitled":false"#, #""validUntil":null"#, #""asOf":""#, #""stale":false"#, #""token":""#] {
            #expect(not.output.contains(part))
        }
        #expect(history.output.split(separator: "\n").count >= active.notifications.count)
        #expect(before.status == 0)
        #expect(before.output.isEmpty)
        #expect(until.output == history.output)
        #expect(show.output.contains("subscribed"))
        #expect(explanation.status == 0)
        #expect(!explanation.output.isEmpty)
        #expect(unknown.status == 1)
        #expect(unknown.errors.contains("unknownSubscription"))
        #expect(
            events.output.split(separator: "\n").count >= active.notifications.count + expired.notifications.count)
        #expect(events.errors.contains("next: --after "))
        #expect(quarantine.status == 0)
        #expect(stopped.status == 0)
    }

    @Test func keepsWhatItHasAcknowledged() async throws {
        // given
        let fixture = try NodeFixture()
        let active = try fixture.lifecycle(status: 1)
        let (first, url) = try await fixture.start()
        try await fixture.post(active.notifications, to: url)
        first.terminate()
        #expect(await first.result().status == 0)

        // when
        let (second, address) = try await fixture.start()
        let entitled = try await PerennialProcess.run(
            "check", "--subscription", active.truth.originalTransactionID, "--node", address)
        second.terminate()
        _ = await second.result()

        // then
        #expect(entitled.status == 0)
    }

    @Test func anotherProcessOnTheSameStoreIsOneLine() async throws {
        let fixture = try NodeFixture()
        let (node, _) = try await fixture.start()
        let second = try await PerennialProcess.run("serve", "--config", fixture.configuration)
        node.terminate()
        _ = await node.result()

        #expect(second.status == 1)
        #expect(second.errorLines.count == 1)
        #expect(second.errors.contains("in use by process"))
    }

    @Test func aPortInUseIsOneLine() async throws {
        // given
        let fixture = try NodeFixture()
        let (node, url) = try await fixture.start()
        let port = try #require(url.split(separator: ":").last)

        // when
        let second = try await PerennialProcess.run(
            "serve", "--config", fixture.configuration, "--port", String(port),
            environment: [
                "PERENNIAL_STORE_URL": "sqlite://\(fixture.folder.file("other.db"))", "PERENNIAL_LOG_LEVEL": "critical",
            ])
        node.terminate()
        _ = await node.result()

        // then
        #expect(second.status == 1)
        #expect(second.errorLines.count == 1)
        #expect(second.errors.contains("127.0.0.1:\(port): the port is in use by another program"))
    }

    @Test(arguments: [
        ("http: { prot: 1 }", "http.prot: unknown key; the nearest known one is http.port"),
        ("node: { roles: [ingest] }", "node.roles[0]: unknown role ingest; it is mirror"),
        ("apps: [ { bundleId: a, environments: [Sandbox], rootCertificates: [none.cer] } ]", "there is no such file"),
    ])
    func aMistakeInTheConfigurationIsOneLine(_ yaml: String, _ line: String) async throws {
        let folder = try TemporaryDirectory()
        let file = try folder.write(yaml, to: "perennial.yaml")
        let result = try await PerennialProcess.run("serve", "--config", file)

        #expect(result.status == 1)
        #expect(result.output.isEmpty)
        #expect(result.errorLines.count == 1)
        #expect(result.errors.contains(line))
    }

    @Test func aMissingConfigurationIsOneLine() async throws {
        let result = try await PerennialProcess.run("serve", "--config", "/none/perennial.yaml")

        #expect(result.status == 1)
        #expect(result.errorLines == ["error: /none/perennial.yaml: there is no such file"])
    }
}
