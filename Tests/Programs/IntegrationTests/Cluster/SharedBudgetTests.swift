import AppStoreSimulator
import Foundation
import NIOCore
import Subscriptions
import Testing

/// Two `perennial serve` processes that both have much to ask of one App Store.
@Suite(.enabled(if: TestBinary.path != nil, "build the perennial product to run these"))
struct SharedBudgetTests {
    private static let share = 0.1
    /// Requests a second that are theirs together: Apple allows fifty for each endpoint that they ask.
    private static let rate = 5.0
    /// So many seconds' worth may go at once.
    private static let burst = 2.0
    /// Fewer than the windows into which half a year of the history is divided. At twice the rate the second node's would
    /// come much too soon.
    private static let fewestCalls = 40

    private let keys: KeysDirectory
    private let cluster: ClusterFixture
    private let directory: TemporaryDirectory

    private struct Job: Decodable {
        let id: String
        let state: String
        let calls: Int
    }

    init() async throws {
        self.directory = try TemporaryDirectory()
        self.keys = try KeysDirectory.open(self.directory.file("apple"))
        self.cluster = try await ClusterFixture(
            nodes: 2, corpus: SignedCorpus(root: self.keys.keys.rootCertificate, notifications: []))
    }

    @Test(.timeLimit(.minutes(10)))
    func togetherTheyAskNoMoreThanOneAloneMay() async throws {
        var configuration = SimulatorConfiguration(keysDirectory: self.keys.path)
        configuration.subscribers = 100
        configuration.speed = 1e9
        configuration.limits = Self.share
        configuration.deliverTo = ["http://127.0.0.1:9/notifications"]
        try await SimulatedApple.run(configuration) { apple in
            // given: half a year of which nobody has heard, and two nodes that know of each other
            #expect(try await apple.toldUpToThePresent().notifications > 0)
            let nodes = try await self.nodes(asking: apple)
            for node in nodes { try await Self.waitUntilItSharesTheBudget(node) }
            apple.simulator.requests.removeAll()
            let start = ContinuousClock.now
            // when: each reads all of it
            var jobs: [Job] = []
            for node in nodes { jobs.append(try await Self.backfill(node, from: apple.simulator.time.start)) }
            for index in jobs.indices { jobs[index] = try await Self.end(of: jobs[index], on: nodes[index]) }
            // then
            for job in jobs {
                #expect(job.state == "done")
                #expect(job.calls >= Self.fewestCalls)
            }
            let entries = apple.simulator.requests.entries
            #expect(!entries.contains { $0.status == 429 })
            let excess = Self.excess(in: entries, since: start)
            #expect(excess.isEmpty, "\(excess.prefix(5).joined(separator: "\n"))")
        }
    }

    private func nodes(asking apple: SimulatedApple) async throws -> [NodeProcess] {
        let access = """
            serverAPI: { keyId: "\(self.keys.keys.keyID)", issuerId: "\(self.keys.keys.issuerID)", \
            privateKeyFile: "\(self.keys.file("AuthKey.p8"))", baseURL: { Production: "\(apple.baseURL)" }, \
            share: \(Self.share) }
            """
        var nodes: [NodeProcess] = []
        // The lease is so long that a node which merely gets no processor for a while does not look dead.
        for number in 0..<2 {
            nodes.append(try await self.cluster.start(number, cluster: "lease: 15s", app: access))
        }
        try await self.cluster.untilDivided(among: nodes)
        return nodes
    }

    /// Or has had long enough to learn of the other: nodes look every ten seconds.
    private static func waitUntilItSharesTheBudget(_ node: NodeProcess) async throws {
        for _ in 0..<300 {
            let metrics = String(decoding: try await node.get("/metrics", patience: .minutes(2)).body, as: UTF8.self)
            // Of an endpoint that nobody asks: all that may go at once.
            let budget = metrics.firstMatch(
                of: /(?m)^perennial_apple_api_budget_remaining\{[^}]*endpoint="consumption"[^}]*\} ([0-9.]+)/)
            if let budget = budget.flatMap({ Double($0.output.1) }), budget <= Self.rate / 2 * Self.burst { return }
            try await Task.sleep(for: .milliseconds(200))
        }
    }

    private static func backfill(_ node: NodeProcess, from start: Moment) async throws -> Job {
        let stretch = #"{"from":"\#(start.rfc3339)","to":"\#(SimulatedTime.realNow().rfc3339)"}"#
        let (status, body) = try await node.post(stretch, to: "/v1/reconcile/backfill", patience: .minutes(2))
        try #require(status == 202, "\(String(decoding: body, as: UTF8.self))")
        return try JSONDecoder().decode(Job.self, from: Data(body))
    }

    private static func end(of job: Job, on node: NodeProcess) async throws -> Job {
        while true {
            let body = try await node.get("/v1/reconcile/jobs/\(job.id)", patience: .minutes(2)).body
            let job = try JSONDecoder().decode(Job.self, from: Data(body))
            guard job.state == "running" else { return job }
            try await Task.sleep(for: .milliseconds(200))
        }
    }

    /// Requests that one budget would not have let go yet. One may have been under way at the start.
    private static func excess(in entries: [RequestLog.Entry], since start: ContinuousClock.Instant) -> [String] {
        Dictionary(grouping: entries) { $0.path.split(separator: "/").prefix(3).joined(separator: "/") }
            .flatMap { endpoint, entries in
                entries.map(\.answered).sorted().enumerated().compactMap { number, answered in
                    let seconds = start.duration(to: answered) / .seconds(1)
                    guard Double(number) > Self.rate * (seconds + Self.burst) else { return nil }
                    return "\(endpoint): \(number + 1) within \(seconds) s"
                }
            }
    }
}
