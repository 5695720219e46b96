import Foundation
import PerennialTestSupport
import Testing

/// `deploy/cluster` as it is run by hand.
@Suite(.onOwnThreads, .enabled(if: TestBinary.path != nil, "build the perennial product to run these"))
struct DeployClusterTests {
    /// What a node's log held at some time.
    private struct Known {
        /// How many events.
        let count: Int
        /// The newest of subscriptions.
        private let versions: [(id: String, version: Int)]

        /// Waits until the log holds so many.
        init(readFrom node: NodeProcess, atLeast count: Int) async throws {
            var events = try await node.allEvents()
            while events.count < count {
                try await Task.sleep(for: .milliseconds(100))
                events = try await node.allEvents()
            }
            var versions: [String: Int] = [:]
            for event in events {
                guard let stream = event["stream"] as? [String: Any], stream["kind"] as? String == "subscription",
                    let id = stream["id"] as? String, let version = event["version"] as? Int
                else { continue }
                versions[id] = max(version, versions[id] ?? 0)
            }
            try #require(!versions.isEmpty)
            self.count = events.count
            self.versions = versions.prefix(1_000).map { ($0.key, $0.value) }
        }

        /// Waits until a node answers for each of them, as its owner knows it.
        func untilAnswered(by node: NodeProcess) async throws {
            let question = CheckQuestion(self.versions.map(\.id))
            while true {
                // Those who are refused, because an owner has just gone, ask again.
                if let answer = try? await question.ask(node, "owner"),
                    zip(answer.versions, self.versions).allSatisfy({ $0 >= $1.version })
                {
                    return
                }
                try await Task.sleep(for: .milliseconds(50))
            }
        }
    }

    /// How many notifications nodes have taken from outside.
    private static func taken(by nodes: some Sequence<NodeProcess>) async throws -> Int {
        var taken = 0
        for node in nodes { taken += try await Self.taken(by: node) }
        return taken
    }

    private static func taken(by node: NodeProcess) async throws -> Int {
        let metrics = String(decoding: try await node.get("/metrics").body, as: UTF8.self)
        let answers = metrics.split(separator: "\n").first {
            $0.hasPrefix("perennial_http_requests_total{") && $0.contains("route=\"/v1/apple/notifications\"")
                && $0.contains("status=\"2xx\"")
        }
        return try #require(answers?.split(separator: " ").last.flatMap { Int($0) }, "\(metrics)")
    }

    @Test("every node answers for every subscription, and the others go on when one is killed", .timeLimit(.minutes(5)))
    func goesOnWithoutOne() async throws {
        let cluster = try DeployedCluster()
        let status = try await cluster.stopped {
            // given
            let hint = try await cluster.untilSaid(/kill -9 ([0-9]+) +# node-1/)
            let nodes = cluster.nodes
            // and it says how customers are and who owns what; what happens is recorded by the simulation's clock
            _ = try await cluster.untilSaid(#/Customers to follow:\n  2\d+  Anna /#)
            _ = try await cluster.untilSaid(
                #/T\d\d:\d\d  [1-9]\d* subscribed, .* revoked  node-1 \d+ shards, node-2 \d+ shards, node-3 \d+ shards\n/#
            )
            let first = try #require(try await nodes[0].allEvents().first?["at"] as? String)
            #expect(first < (Date.now - 86_400).ISO8601Format())
            let known = try await Known(readFrom: nodes[0], atLeast: 30)
            for node in nodes { try await known.untilAnswered(by: node) }
            let taken = try await Self.taken(by: nodes[1...])

            // when: the node that notifications go to is killed, as the script says it can be
            kill(try #require(pid_t(hint.1)), SIGKILL)
            // then: the others take what comes, both know of it, and nothing is forgotten
            while try await Self.taken(by: nodes[1...]) < taken + 10 { try await Task.sleep(for: .milliseconds(100)) }
            let more = try await Known(readFrom: nodes[2], atLeast: known.count + 10)
            for node in nodes[1...] {
                try await known.untilAnswered(by: node)
                try await more.untilAnswered(by: node)
            }

            // then: it is started again, and answers like the others
            _ = try await cluster.untilSaid(/node-1 runs again/)
            try await more.untilAnswered(by: nodes[0])
            #expect(cluster.running.count { $0.contains("node-1.yaml") } == 1)
        }
        #expect(status == 128 + SIGTERM)
        #expect(cluster.running == [])
        #expect(!cluster.complaints.contains("Killed"), "\(cluster.complaints)")
    }
}
