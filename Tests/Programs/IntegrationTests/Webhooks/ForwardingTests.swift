import AppStoreSimulator
import Foundation
import StoreSamples
import Subscriptions
import Testing

/// Two `perennial serve` processes: what Apple posts to the first one goes on to the second one, if it is of the sandbox.
@Suite(.enabled(if: TestBinary.path != nil, "build the perennial product to run these"), .timeLimit(.minutes(10)))
struct ForwardingTests {
    private let root: [UInt8]
    private let production: [SignedNotification]
    private let sandbox: [SignedNotification]
    /// Of the sandbox as well: one that brings news, and the same again under another id.
    private let news: SignedNotification
    private let noNews: SignedNotification
    private let directories: [TemporaryDirectory]

    init() throws {
        let authority = try CertificateAuthority.make(seed: 47)
        let production = try SignedCorpus(count: 100, seed: 47, authority: authority)
        let sandbox = try SignedCorpus(count: 100, seed: 48, environment: .sandbox, authority: authority)
        let signer = NotificationSigner(store: StoreIdentity(environment: .sandbox), signer: authority.signer)
        self.root = production.root
        self.production = production.notifications
        self.sandbox = sandbox.notifications
        self.news = try signer.sign(StoreSample.subscription("DID_RENEW").notification)
        self.noNews = try signer.sign(StoreSample.subscription("DID_RENEW", nil, "again").notification)
        self.directories = [try TemporaryDirectory(), try TemporaryDirectory()]
    }

    /// Both know the app in both environments: what reaches one of them is recorded there.
    private func start(_ number: Int) async throws -> NodeProcess {
        let directory = self.directories[number]
        return try await NodeProcess.start(
            in: directory, root: self.root,
            sections: """
                store: { url: "sqlite://\(directory.file("perennial.db"))" }
                webhooks: { allow: ["127.0.0.0/8"] }
                """, environments: [.production, .sandbox])
    }

    private func object(_ node: NodeProcess, _ path: String) async throws -> [String: Any] {
        let (status, body) = try await node.get(path)
        guard status == 200, let object = try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any] else {
            throw ProcessFailure("no answer: \(status) \(String(decoding: body, as: UTF8.self))")
        }
        return object
    }

    /// An event as a node has it, with what came from Apple.
    private struct Told: Hashable {
        var environment: String
        var kind: String
        var signedPayload: String
    }

    /// Everything that a node was told of subscriptions and purchases, by the notifications' ids.
    private func told(_ node: NodeProcess) async throws -> [String: Told] {
        var paths: Set<String> = []
        for event in try await node.allEvents() {
            let stream = event["stream"] as? [String: Any]
            guard let kind = stream?["kind"] as? String, let id = stream?["id"] as? String,
                let environment = stream?["environment"] as? String
            else { throw ProcessFailure("an event of nothing: \(event)") }
            paths.insert("/v1/\(kind)s/\(id)/events?environment=\(environment)&limit=1000&evidence=true")
        }
        var told: [String: Told] = [:]
        for path in paths {
            for event in try await self.object(node, path)["events"] as? [[String: Any]] ?? [] {
                // What a node adds by itself nobody has signed.
                guard let uuid = event["notificationUUID"] as? String else { continue }
                let stream = event["stream"] as? [String: Any]
                let evidence = event["evidence"] as? [String: Any]
                #expect(told[uuid] == nil, "\(uuid) is there twice")
                told[uuid] = Told(
                    environment: stream?["environment"] as? String ?? "", kind: event["kind"] as? String ?? "",
                    signedPayload: evidence?["signedPayload"] as? String ?? "")
            }
        }
        return told
    }

    private func payloads(_ notifications: [SignedNotification]) -> [String: String] {
        notifications.reduce(into: [:]) { $0[$1.uuid] = String(decoding: $1.signedPayload, as: UTF8.self) }
    }

    @Test func whatAppleSignedInTheSandboxGoesOnAndNothingElse() async throws {
        // given: customers who have the same ids in both environments
        let ids = [self.production, self.sandbox].map { Set($0.compactMap(\.originalTransactionID)) }
        #expect(!ids[0].isDisjoint(with: ids[1]))
        // and an endpoint of the first node that leads to the second one
        let (first, second) = (try await self.start(0), try await self.start(1))
        let made = try await PerennialProcess.run(
            "webhooks", "create", "\(second.url)/v1/apple/notifications", "--format", "original", "--environment",
            "Sandbox", "--node", first.url)
        let id = try #require(made.output.firstMatch(of: #/endpoint: (\S+)/#)?.output.1, "\(made.errors)")

        // when: the first one is told of both environments, by turns
        let fromSandbox = self.sandbox + [self.news, self.noNews]
        var waiting = self.production[...]
        for notification in fromSandbox {
            for next in [notification, waiting.popFirst()].compactMap(\.self) {
                while try await first.notify(next.signedPayload) != 200 {}
            }
        }
        #expect(waiting.isEmpty)
        // and there is nothing left that might go on
        while try await self.object(first, "/v1/webhooks/\(id)")["backlog"] as? Int != 0 {
            try await Task.sleep(for: .milliseconds(100))
        }

        // then: the first one has all of it as it was signed, the second one what is of the sandbox
        let (atFirst, atSecond) = (try await self.told(first), try await self.told(second))
        #expect(atFirst.mapValues(\.signedPayload) == self.payloads(self.production + fromSandbox))
        #expect(atSecond.mapValues(\.signedPayload) == self.payloads(fromSandbox))
        #expect(atSecond.values.allSatisfy { $0.environment == "Sandbox" })
        #expect(
            try await second.allEvents().allSatisfy { event in
                (event["stream"] as? [String: Any])?["environment"] as? String == "Sandbox"
            })
        // and what brought no news went on all the same
        for told in [atFirst, atSecond] {
            #expect(told[self.news.uuid]?.kind == "renewed")
            #expect(told[self.noNews.uuid]?.kind == "noted")
        }
        // and nothing was refused on the way
        #expect(
            (try await self.object(first, "/v1/webhooks/\(id)/dead-letters")["deadLetters"] as? [Any])?.isEmpty == true)
        #expect((try await self.object(second, "/v1/quarantine")["quarantined"] as? [Any])?.isEmpty == true)
        for node in [first, second] {
            node.process.send(SIGTERM)
            #expect(await node.process.waitForExit() == 0, "\(node.process.errorOutput)")
        }
    }
}
