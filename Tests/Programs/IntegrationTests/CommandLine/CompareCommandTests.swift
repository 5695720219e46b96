import AppStoreSimulator
import AsyncHTTPClient
import Foundation
import NIOCore
import Subscriptions
import Testing

/// A node and a simulated store as two processes, in fast time, and the command that holds one against the other.
@Suite(.enabled(if: TestBinary.path != nil, "build the perennial product to run these"), .timeLimit(.minutes(5)))
struct CompareCommandTests {
    private let folder: TemporaryDirectory
    private var keys: String { self.folder.file("keys") }

    init() throws {
        self.folder = try TemporaryDirectory()
        _ = try KeysDirectory.open(self.folder.file("keys"))
    }

    /// A node that trusts the store in `keys`.
    private func startNode() async throws -> (process: PerennialProcess, url: String) {
        let configuration = try self.folder.write(
            """
            http: { port: 0 }
            store: { url: "sqlite://\(self.folder.file("perennial.db"))" }
            apps:
              - bundleId: com.example.app
                appAppleId: 1234567890
                environments: [Production, Sandbox]
                rootCertificates: ["\(self.keys)/root.cer"]
            """, to: "perennial.yaml")
        let node = try PerennialProcess("serve", "--config", configuration)
        let text = try await node.text(containing: "Listening")
        return (node, String(try #require(text.firstMatch(of: #/http://127\.0\.0\.1:\d+/#)).output))
    }

    /// A simulation that has caught up with the present.
    private func startStore(keys: String, _ arguments: String...) async throws -> PerennialProcess {
        let store = try PerennialProcess(
            arguments: ["simulate", "--port", "0", "--keys", keys, "--subscribers", "40", "--speed", "5000000"]
                + arguments)
        let text = try await store.text(containing: "answers on")
        let url = try #require(text.firstMatch(of: #/http://127\.0\.0\.1:\d+/#)).output
        while try await self.now(of: String(url)) < SimulatedTime.realNow() - .minutes(1) {
            try await Task.sleep(for: .milliseconds(50))  // a poll: the test does not depend on its length
        }
        return store
    }

    private func now(of store: String) async throws -> Moment {
        let response = try await HTTPClient.shared.execute(
            HTTPClientRequest(url: "\(store)/truth?limit=1"), timeout: .minutes(9))
        let body = try await response.body.collect(upTo: 1 << 20)
        let page = try #require(
            try JSONSerialization.jsonObject(with: Data(body.readableBytesView)) as? [String: Any])
        return (page["now"] as? String).flatMap { Moment(rfc3339: $0) } ?? .distantPast
    }

    private func compare(
        _ node: String, keys: String, _ arguments: String...
    ) async throws -> PerennialProcess.Result {
        try await PerennialProcess(
            arguments: ["simulate", "compare", "--node", node, "--keys", keys] + arguments
        ).result()
    }

    private func count(_ name: String, in summary: some StringProtocol) throws -> Int {
        let object = try JSONSerialization.jsonObject(with: Data(summary.utf8)) as? [String: Any]
        return try #require(object?[name] as? Int)
    }

    @Test func whateverGoesWrongOnTheWayIsExplained() async throws {
        // given a node that is fed by a disturbed delivery
        let node = try await self.startNode()
        let store = try await self.startStore(
            keys: self.keys, "--deliver-to", "\(node.url)/v1/apple/notifications", "--lose", "0.3", "--repeat", "0.3",
            "--delay", "0.3", "--reorder", "0.3")

        // when both are compared
        let result = try await self.compare(node.url, keys: self.keys, "--output", "json")

        // then nothing is unexplained
        let summary = try #require(result.output.split(separator: "\n").last)
        #expect(result.status == 0, "\(result.errors)")
        #expect(try self.count("unexplained", in: summary) == 0, "\(result.output)")
        #expect(try self.count("subscriptions", in: summary) > 30)
        #expect(try self.count("equal", in: summary) > 200)
        #expect(try self.count("explained", in: summary) > 0)
        store.interrupt()
        node.process.interrupt()
        _ = await (store.result(), node.process.result())
    }

    @Test func whatWasGivenUpOnIsNamed() async throws {
        // given a node that lacks what the sandbox lost
        let node = try await self.startNode()
        let store = try await self.startStore(
            keys: self.keys, "--deliver-to", "\(node.url)/v1/apple/notifications", "--environment", "Sandbox", "--lose",
            "0.3")

        // when both are compared, once nothing is on the way any more
        var result = try await self.compare(node.url, keys: self.keys)
        while result.output.contains("is still waiting") {
            result = try await self.compare(node.url, keys: self.keys)
        }

        // then each difference has its reason, and the summary counts them
        let lines = result.output.split(separator: "\n")
        #expect(result.status == 0, "\(result.output)")
        #expect(lines.first?.hasPrefix("ID") == true)
        #expect(lines.count > 2)
        #expect(lines.dropFirst().dropLast().allSatisfy { $0.hasSuffix("was given up on") })
        #expect(lines.last?.hasSuffix("explained, 0 unexplained") == true)
        store.interrupt()
        node.process.interrupt()
        _ = await (store.result(), node.process.result())
    }

    @Test func anotherStoresNodeIsWrong() async throws {
        // given a node that is fed by one store, and another store with other customers
        let node = try await self.startNode()
        let one = try await self.startStore(keys: self.keys, "--deliver-to", "\(node.url)/v1/apple/notifications")
        let other = try await self.startStore(keys: self.folder.file("other"), "--seed", "2")

        // when the node is compared with each
        let right = try await self.compare(node.url, keys: self.keys, "--moments", "5")
        let wrong = try await self.compare(node.url, keys: self.folder.file("other"), "--moments", "5")

        // then it is right about the first, and wrong about the second
        #expect(right.status == 0, "\(right.output)")
        #expect(wrong.status == 1)
        #expect(wrong.output.contains("unexplained"))
        one.interrupt()
        other.interrupt()
        node.process.interrupt()
        _ = await (one.result(), other.result(), node.process.result())
    }

    @Test func whatIsMissingIsOneLine() async throws {
        let nothing = try await self.compare("http://127.0.0.1:1", keys: "/none")
        #expect(nothing.status == 1)
        #expect(nothing.errorLines == ["error: /none/store.json: there is no such file"])

        // given a store without a node, and a node without a store
        let store = try await self.startStore(keys: self.keys)
        let alone = try await self.compare("http://127.0.0.1:1", keys: self.keys)
        #expect(alone.status == 1)
        #expect(alone.errorLines == ["error: http://127.0.0.1:1: cannot be reached; is the node running?"])
        let late = try await self.compare("http://127.0.0.1:1", keys: self.keys, "--at", "2100-01-01T00:00:00Z")
        #expect(late.errorLines.first?.contains("lies after the simulation's now") == true)
        store.interrupt()
        _ = await store.result()
        let stopped = try await self.compare("http://127.0.0.1:1", keys: self.keys)
        #expect(stopped.errorLines.count == 1)
        #expect(stopped.errorLines.first?.hasSuffix("cannot be reached; is the simulation running?") == true)
    }
}
