import AppStoreSimulator
import Foundation
import Testing
import ZeroMQ

/// The program that shows how `PerennialClient` is used.
@Suite(.enabled(if: TestBinary.path != nil, "build the perennial product to run these"), .timeLimit(.minutes(5)))
struct PaywallExampleTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../..")

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: Self.root.appending(path: path).standardized, encoding: .utf8)
    }

    /// Whatever their indentation.
    private static func lines(_ text: some StringProtocol) -> [String] {
        text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    }

    @Test func `the examples of the documentation are parts of it`() throws {
        let program = try Self.lines(Self.text("proto/example/paywall/Paywall.swift"))
        let page = try Self.text("Sources/Interfaces/PerennialClient/PerennialClient.docc/PerennialClient.md")
        let examples = page.matches(of: #/```swift\n((?s:.*?))```/#).map { Self.lines($0.output.1) }
            .filter { !$0[0].hasPrefix(".product") }

        #expect(examples.count == 2)
        for example in examples {
            #expect(program.contains(example), "\(example)")
        }
        #expect(program.filter { $0.hasPrefix("import") } == ["import Foundation", "import PerennialClient"])
    }

    @Test func `it answers, and tells what changes`() async throws {
        // given: a node that knows a subscription
        let keys = try CurveKeyPair()
        let cluster = try await ClusterFixture(nodes: 1, corpus: SignedCorpus(count: 400, seed: 80))
        let address = LoopbackAddress.unused()
        let key = try #require(Z85.text(of: keys.publicKey))
        let node = try await cluster.start(
            0, cluster: "lease: 15s",
            section: "stream: { bind: \"\(address.text)\", subscribers: [ { name: paywall, curveKey: \"\(key)\" } ] }")
        let notifications = cluster.corpus.notifications
        _ = try await node.notify(notifications[0].signedPayload)
        let id = try #require(notifications[0].originalTransactionID)

        // when
        let folder = try TemporaryDirectory()
        let secret = try folder.write(try #require(Z85.text(of: keys.secretKey)), to: "paywall.key")
        let binary = URL(filePath: try #require(TestBinary.path)).deletingLastPathComponent().appending(path: "Paywall")
        let paywall = try ChildProcess(
            "/usr/bin/stdbuf",
            [
                "-oL", binary.path, address.text, try cluster.publicKey(0), secret, id, folder.file("position"),
            ], output: folder.file("paywall"))
        func untilSaid(_ words: String) async throws {
            while !paywall.output.contains(words) {
                try #require(paywall.isRunning, "\(paywall.output)\(paywall.errorOutput)")
                try await Task.sleep(for: .milliseconds(20))
            }
        }
        try await untilSaid("\(id) has ")

        // then: it hears of what comes
        var next = 1
        while !paywall.output.contains("isEntitled: ") {
            try #require(paywall.isRunning, "\(paywall.output)\(paywall.errorOutput)")
            if next < notifications.count { _ = try await node.notify(notifications[next].signedPayload) }
            next += 1
            try await Task.sleep(for: .milliseconds(50))
        }
        while !FileManager.default.fileExists(atPath: folder.file("position")) {
            try await Task.sleep(for: .milliseconds(20))
        }
        paywall.send(SIGTERM)
        #expect(await paywall.waitForExit() == 128 + SIGTERM)
    }
}
