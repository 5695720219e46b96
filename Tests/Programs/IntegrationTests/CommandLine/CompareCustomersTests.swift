import AppStoreSimulator
import AsyncHTTPClient
import Foundation
import NIOCore
import Subscriptions
import Testing

/// A node, a simulated store and the publisher's backend as processes, in fast time, and the command that asks about
/// everybody by customer.
@Suite(.enabled(if: TestBinary.path != nil, "build the perennial product to run these"), .timeLimit(.minutes(5)))
struct CompareCustomersTests {
    private let folder: TemporaryDirectory
    private var keys: String { self.folder.file("keys") }
    private let people: String

    init() throws {
        self.folder = try TemporaryDirectory()
        _ = try KeysDirectory.open(self.folder.file("keys"))
        self.people = try self.folder.write(Scenario.customersText, to: "people.yaml")
    }

    /// A node that trusts the store in `keys`.
    private func startNode(sandboxCounts policy: String = "nobody") async throws -> (
        process: PerennialProcess, url: String
    ) {
        let configuration = try self.folder.write(
            """
            http: { port: 0 }
            store: { url: "sqlite://\(self.folder.file("perennial.db"))" }
            entitlements: { catalog: [ { entitlement: basic, products: [basic.monthly, pro.monthly] } ] }
            apps:
              - bundleId: com.example.app
                appAppleId: 1234567890
                environments: [Production, Sandbox]
                rootCertificates: ["\(self.keys)/root.cer"]
                sandboxCounts: { policy: \(policy) }
            """, to: "perennial.yaml")
        let node = try PerennialProcess("serve", "--config", configuration)
        let text = try await node.text(containing: "Listening")
        return (node, String(try #require(text.firstMatch(of: #/http://127\.0\.0\.1:\d+/#)).output))
    }

    /// A simulation that has caught up with the present, and has asked for all that it wants of the node.
    private func startStore(keys: String, for node: String, plays: Bool = true, _ arguments: String...) async throws
        -> (
            process: PerennialProcess, url: String
        )
    {
        let store = try PerennialProcess(
            arguments: [
                "simulate", "--port", "0", "--keys", keys, "--scenario", self.people, "--subscribers", "30", "--speed",
                "5000000", "--deliver-to", "\(node)/v1/apple/notifications",
            ] + (plays ? ["--backend", node] : []) + arguments)
        let text = try await store.text(containing: "answers on")
        let url = String(try #require(text.firstMatch(of: #/http://127\.0\.0\.1:\d+/#)).output)
        // A poll: the test does not depend on its length.
        while true {
            let now = (try await self.get("\(url)/truth?limit=1")["now"] as? String).flatMap { Moment(rfc3339: $0) }
            let requests = try await self.get("\(url)/backend?limit=1000")["requests"] as? [[String: Any]] ?? []
            let isDone = !plays || requests.allSatisfy { $0["state"] as? String != "waiting" }
            if let now, now > SimulatedTime.realNow() - .minutes(1), isDone { return (store, url) }
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    private func get(_ url: String) async throws -> [String: Any] {
        let response = try await HTTPClient.shared.execute(HTTPClientRequest(url: url), timeout: .minutes(4))
        let body = try await response.body.collect(upTo: 1 << 23)
        return try #require(try JSONSerialization.jsonObject(with: Data(body.readableBytesView)) as? [String: Any])
    }

    private func compare(_ node: String, keys: String, _ arguments: String...) async throws -> PerennialProcess.Result {
        try await PerennialProcess(
            arguments: ["simulate", "compare", "--customers", "--node", node, "--keys", keys] + arguments
        ).result()
    }

    private func count(_ name: String, in result: PerennialProcess.Result) throws -> Int {
        let summary = try #require(result.output.split(separator: "\n").last)
        let object = try JSONSerialization.jsonObject(with: Data(summary.utf8)) as? [String: Any]
        return try #require(object?[name] as? Int, "\(result.output)")
    }

    private func check(_ customer: String, at node: String, _ arguments: String...) async throws
        -> PerennialProcess.Result
    {
        try await PerennialProcess(arguments: ["check", "--customer", customer, "--node", node] + arguments).result()
    }

    @Test(arguments: ["nobody", "anybody"])
    func `a node knows what each customer may use`(sandboxCounts policy: String) async throws {
        // given
        let node = try await self.startNode(sandboxCounts: policy)
        let store = try await self.startStore(keys: self.keys, for: node.url)

        // when
        let result = try await self.compare(node.url, keys: self.keys, "--output", "json")

        // then
        #expect(result.status == 0, "\(result.output) \(result.errors)")
        #expect(try self.count("unexplained", in: result) == 0)
        #expect(try self.count("customers", in: result) > 25)
        // Somebody has something in Sandbox as well.
        #expect(try self.count("answers", in: result) == (try self.count("customers", in: result)) + 1)
        #expect(try self.count("equal", in: result) > 25)

        // then it knows from memory and from the store as well
        for consistency in ["local", "durable"] {
            let result = try await self.compare(node.url, keys: self.keys, "--consistency", consistency)
            #expect(result.status == 0, "\(consistency): \(result.output) \(result.errors)")
        }

        // then the people of the scenario are as their stories say
        #expect(try await self.check("anna", at: node.url).status == 0)
        #expect(try await self.check("anonymous-ben", at: node.url).output == "not entitled, customerMoved\n")
        #expect(
            try await self.check("clara", at: node.url, "--entitlement", "basic").output.hasPrefix("entitled, granted"))
        #expect(try await self.check("dora-family-1", at: node.url).output.hasPrefix("not entitled, revoked"))
        #expect(try await self.check("emil", at: node.url).status == 0)
        #expect(try await self.check("emil-2", at: node.url).status == 3)
        #expect(try await self.check("gus", at: node.url).status == 0)
        #expect(try await self.check("app-review", at: node.url).status == (policy == "anybody" ? 0 : 3))
        #expect(try await self.check("app-review", at: node.url, "--environment", "Sandbox").status == 0)

        // then what was restored elsewhere waits for a person
        let emil = try await self.get("\(node.url)/v1/customers/emil-2")
        #expect((emil["conflicts"] as? [Any])?.count == 1)
        let refused = try #require(
            try await self.get("\(store.url)/backend?limit=1000")["requests"] as? [[String: Any]]
        )
        .filter { $0["state"] as? String == "refused" }
        let contradictions = refused.filter { $0["code"] as? String == "linkedElsewhere" }
        #expect(contradictions.map { $0["customerId"] as? String } == ["emil-2", "emil-2"])
        // This node has the real clock, by which what was paid months ago is over.
        let others = refused.filter { $0["code"] as? String != "linkedElsewhere" }
        #expect(others.allSatisfy { $0["customerId"] as? String == "clara" && $0["code"] as? String == "invalidGrant" })
        store.process.interrupt()
        node.process.interrupt()
        _ = await (store.process.result(), node.process.result())
    }

    @Test func `whatever goes wrong on the way is explained`() async throws {
        // given a node that is fed by a disturbed delivery
        let node = try await self.startNode()
        let store = try await self.startStore(
            keys: self.keys, for: node.url, "--lose", "0.3", "--repeat", "0.3", "--delay", "0.3", "--reorder", "0.3")

        // when
        let result = try await self.compare(node.url, keys: self.keys, "--output", "json")

        // then
        #expect(result.status == 0, "\(result.output) \(result.errors)")
        #expect(try self.count("unexplained", in: result) == 0, "\(result.output)")
        #expect(try self.count("equal", in: result) > 20)
        store.process.interrupt()
        node.process.interrupt()
        _ = await (store.process.result(), node.process.result())
    }

    @Test func `what nobody has asked for is named`() async throws {
        // given a simulation without a backend
        let node = try await self.startNode()
        let store = try await self.startStore(keys: self.keys, for: node.url, plays: false)

        // when
        let result = try await self.compare(node.url, keys: self.keys)

        // then
        let lines = result.output.split(separator: "\n")
        #expect(result.status == 0, "\(result.output)")
        #expect(lines.first?.hasPrefix("CUSTOMER ") == true)
        #expect(lines.contains { $0.hasPrefix("anna ") && $0.contains(" of the publisher's backend, due ") })
        #expect(lines.dropFirst().dropLast().allSatisfy { $0.hasSuffix(" has not been made") })
        #expect(lines.last?.hasSuffix("explained, 0 unexplained") == true)
        store.process.interrupt()
        node.process.interrupt()
        _ = await (store.process.result(), node.process.result())
    }

    @Test func `a customer who has what nobody sold them is found`() async throws {
        // given a node at which support has linked somebody's purchase to another customer, and granted something
        let node = try await self.startNode()
        let store = try await self.startStore(keys: self.keys, for: node.url)
        for arguments in [
            ["customer", "unlink", "anna", "2000000000000001"], ["customer", "link", "emil-2", "2000000000000001"],
            [
                "customer", "grant", "dora-family-1", "basic", "--until", "2099-01-01T00:00:00Z", "--source", "support",
                "--reason", "a mistake",
            ],
        ] {
            let done = try await PerennialProcess(arguments: arguments + ["--node", node.url]).result()
            #expect(done.status == 0, "\(done.errors)")
        }

        // when
        let result = try await self.compare(node.url, keys: self.keys)

        // then each of the three is wrong, and nobody else
        #expect(result.status == 1)
        let found = result.output.split(separator: "\n").filter { $0.hasSuffix("unexplained") }.dropLast()
        #expect(Set(found.compactMap { $0.split(separator: " ").first }) == ["anna", "emil-2", "dora-family-1"])
        #expect(result.output.hasSuffix(", 3 unexplained\n"))
        store.process.interrupt()
        node.process.interrupt()
        _ = await (store.process.result(), node.process.result())
    }
}
