import Foundation
import Testing

/// What operators see of a node in `top -H` and `ps -L`.
@Suite(.enabled(if: TestBinary.path != nil, "build the perennial product to run these"))
struct ThreadNamesTests {
    @Test("the threads of a node have names", .timeLimit(.minutes(5)))
    func haveNames() async throws {
        let cluster = try await ClusterFixture(nodes: 1, corpus: SignedCorpus(count: 1, seed: 79))
        let node = try await cluster.start(0, cluster: "lease: 15s")
        let tasks = "/proc/\(node.process.identifier)/task"
        // Each names itself when it begins to run, which may be after the node is ready. One that has just ended says nothing.
        var missing: Set = [
            "beats", "readings", "committer", "postgres", "reactor", "unknown-chains", "verification", "watch",
        ]
        while !missing.isEmpty {
            missing.subtract(
                try FileManager.default.contentsOfDirectory(atPath: tasks).compactMap {
                    try? String(contentsOfFile: "\(tasks)/\($0)/comm", encoding: .utf8)
                        .trimmingCharacters(in: .newlines)
                })
            try #require(node.process.isRunning, "\(node.process.errorOutput)")
            try await Task.sleep(for: .milliseconds(20))
        }
        node.process.send(SIGTERM)
        #expect(await node.process.waitForExit() == 0, "\(node.process.errorOutput)")
    }
}
