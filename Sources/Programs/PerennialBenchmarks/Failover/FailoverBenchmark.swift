import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import PostgresHarness

/// What senders and services notice of a node that is killed or stopped. Three nodes on PostgreSQL, with the default lease.
struct FailoverBenchmark: Benchmark {
    static let name = "failover"
    static let abstract = "what senders and services wait for when one of three nodes is killed or stopped, 50 times"

    static let isLong = true

    private static let runs = 50
    private static let notifications = 4_000
    /// One request asks about so many subscriptions, of nearly all shards.
    private static let asked = 1_000

    private enum Loss: CaseIterable {
        case killed, stopped
    }

    /// Of one loss, each since the node was lost.
    private struct Outage {
        var acknowledging: Duration
        var answering: Duration
        var refusals: Int
    }

    func run(in workspace: Workspace) async throws -> [Figure] {
        workspace.say("  signing \(Self.notifications) notifications")
        let traffic = try await NotificationTraffic(
            count: Self.notifications, authority: workspace.supplies.authority)
        let cluster = LeasedCluster(try PostgresServer().makeDatabase(), root: workspace.supplies.root)
        try await cluster.fill()
        let sender = BalancedSender { cluster.nodes.map(\.port) }
        let stream = NotificationStream(traffic.requests, by: sender)
        let outages = try await stream.run {
            var outages: [Loss: [Outage]] = [:]
            for loss in Loss.allCases {
                for run in 1...Self.runs {
                    try await cluster.fill()
                    try await cluster.untilDivided()
                    let outage = try await Self.lose(loss, of: cluster, stream)
                    outages[loss, default: []].append(outage)
                    workspace.say("  \(loss) \(run): \(outage.acknowledging), \(outage.answering)")
                }
            }
            return outages
        }
        try await Self.checkLog(of: cluster, against: stream)
        try await cluster.stop()
        return outages.isEmpty ? [] : Self.figures(killed: outages[.killed] ?? [], stopped: outages[.stopped] ?? [])
    }

    private static func lose(
        _ loss: Loss, of cluster: LeasedCluster, _ stream: NotificationStream
    ) async throws -> Outage {
        let victim = cluster.nodes[0]
        let start = ContinuousClock.now
        victim.signal(loss == .killed ? SIGKILL : SIGSTOP)
        // The balancer hears of it a moment later.
        try await Task.sleep(for: .milliseconds(20))
        _ = cluster.lose()
        for node in cluster.nodes { try await Self.untilAllAnswered(by: node) }
        let answering = ContinuousClock.now - start
        try await stream.untilAcknowledged(before: start + answering)
        let deliveries = stream.deliveries(since: start)
        victim.signal(SIGCONT)
        try await victim.waitForEnd()
        return Outage(
            acknowledging: deliveries.map { $0.acknowledged - max(start, $0.sent) }.max() ?? .zero,
            answering: answering, refusals: deliveries.reduce(0) { $0 + $1.refusals })
    }

    /// Asks the owners of all shards.
    private static func untilAllAnswered(by node: NodeProcess) async throws {
        let checks = (0..<Self.asked).map { "{\"subscription\":\"7000000000\($0)\"}" }.joined(separator: ",")
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(node.port)/v1/check")
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/json")
        request.body = .bytes(ByteBuffer(string: "{\"checks\":[\(checks)],\"consistency\":\"owner\"}"))
        try await Patience.until("an answer of all owners") {
            guard let response = try? await HTTPClient.shared.execute(request, timeout: .seconds(2)),
                response.status == .ok, let body = try? await response.body.collect(upTo: 1 << 20)
            else { return false }
            // A check whose owner does not answer has an error in place of its result.
            return !String(buffer: body).contains(#""error""#)
        }
    }

    /// What was acknowledged is there, once.
    private static func checkLog(of cluster: LeasedCluster, against stream: NotificationStream) async throws {
        try await Patience.until("an empty inbox", every: .milliseconds(100)) {
            try cluster.database.query("SELECT count(*) FROM inbox") == ["0"]
        }
        let events = try cluster.database.query("SELECT count(*) FROM evidence")
        guard events == ["\(stream.distinctCount)"] else {
            throw BenchmarkError("of \(stream.distinctCount) acknowledged notifications, \(events[0]) are in the log")
        }
    }

    private static func figures(killed: [Outage], stopped: [Outage]) -> [Figure] {
        func figure(_ name: String, _ durations: [Duration], _ bound: Double) -> [Figure] {
            let seconds = durations.map { $0 / .seconds(1) }
            return [
                Figure("\(name), median", seconds.median(), "s", goal: .valueAtMost(bound)),
                Figure("\(name), maximum", seconds.max() ?? 0, "s", goal: .valueAtMost(bound)),
            ]
        }
        return figure("kill -9: notifications acknowledged again", killed.map(\.acknowledging), 1.5)
            + figure("kill -9: all owners answer again", killed.map(\.answering), 6.5)
            + figure("SIGSTOP: notifications acknowledged again", stopped.map(\.acknowledging), 6.5)
            + figure("SIGSTOP: all owners answer again", stopped.map(\.answering), 6.5)
            + [
                Figure(
                    "kill -9: notifications not answered with 200", Double(killed.reduce(0) { $0 + $1.refusals }), "",
                    goal: .valueAtMost(0))
            ]
    }
}
