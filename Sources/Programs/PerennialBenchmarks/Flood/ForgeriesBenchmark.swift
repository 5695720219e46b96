import Foundation
import NIOCore

/// Genuine notifications beside a flood of forged ones: node and store on one core, the loads on another.
struct ForgeriesBenchmark: Benchmark {
    static let name = "forgeries"
    static let abstract = "the p99 of notifications beside a flood of forged ones, of that beside idle connections"

    private static let floods = [64, 1_100]
    private static let rounds = 3
    private static let pace = 200
    private static let paced = 1_000
    private static let connections = 16
    private static let warmUp = 1_000
    private static let atFullSpeed = 3_000
    private static let distinctForgeries = 512

    func run(in workspace: Workspace) async throws -> [Figure] {
        let count = Self.warmUp + Self.atFullSpeed + Self.floods.count * Self.rounds * 2 * Self.paced
        workspace.say("  signing \(count) notifications, forging \(Self.distinctForgeries)")
        let traffic = try await NotificationTraffic(count: count, authority: workspace.supplies.authority)
        let forgeries = try Forgeries(count: Self.distinctForgeries).requests
        Cores.openManyFiles()
        let store = await workspace.supplies.newStore()
        return try await Cores.loading {
            try await NodeProcess.run(on: store, root: workspace.supplies.root, core: Cores.nodes) { node in
                var genuine = traffic.requests[...]
                let generator = LoadGenerator(port: node.port, connections: Self.connections)
                _ = try await generator.closed(Array(genuine.prefix(Self.warmUp)))
                genuine = genuine.dropFirst(Self.warmUp)
                var figures = [try await self.cost(Array(genuine.prefix(Self.atFullSpeed)), forgeries, node, workspace)]
                genuine = genuine.dropFirst(Self.atFullSpeed)
                for flood in Self.floods {
                    figures.append(try await self.latency(beside: flood, &genuine, forgeries, node, workspace))
                }
                return figures
            }
        }
    }

    /// Fails when a genuine one is answered with anything but 200.
    private func latency(
        beside connections: Int, _ genuine: inout ArraySlice<ByteBuffer>, _ forgeries: [ByteBuffer],
        _ node: NodeProcess, _ workspace: Workspace
    ) async throws -> Figure {
        let generator = LoadGenerator(port: node.port, connections: Self.connections)
        var results: [Bool: [Double]] = [:]
        for _ in 0..<Self.rounds {
            for isForging in [false, true] {
                let requests = Array(genuine.prefix(Self.paced))
                genuine = genuine.dropFirst(Self.paced)
                let (result, answers) = try await Flood.run(
                    port: node.port, connections: connections, requests: isForging ? forgeries : []
                ) { flood in
                    let before = try await flood.answers()
                    let result = try await generator.open(requests, perSecond: Self.pace)
                    return (result, try await flood.answers().merging(before) { $0 - $1 })
                }
                results[isForging, default: []].append(result.latency(percentile: 99))
                let told = answers.sorted { $0.key < $1.key }.map { "\($0.value) × \($0.key)" }
                let latencies = [50, 99].map { String(format: "p%.0f %.1f ms", $0, result.latency(percentile: $0)) }
                workspace.say(
                    "  beside \(connections) \(isForging ? "forging" : "idle") connections: "
                        + "\(latencies.joined(separator: ", ")); answers to them: \(told.joined(separator: ", "))")
            }
        }
        let (idle, forging) = (results[false] ?? [], results[true] ?? [])
        return Figure(
            "genuine p99 at \(Self.pace)/s beside \(connections) connections of forgeries (baseline: idle)",
            forging.median(), "ms", baseline: idle.median(), ratio: zip(forging, idle).map { $0 / $1 }.median(),
            goal: .ratioAtMost(2))
    }

    /// What the node spends on a forgery, whatever becomes of it, of what it spends on a genuine notification.
    private func cost(
        _ genuine: [ByteBuffer], _ forgeries: [ByteBuffer], _ node: NodeProcess, _ workspace: Workspace
    ) async throws -> Figure {
        let start = try node.use().processorTime
        _ = try await LoadGenerator(port: node.port, connections: Self.connections).closed(genuine)
        let spent = (try node.use().processorTime - start) / .microseconds(1) / Double(genuine.count)
        let idle = try await Flood.run(port: node.port, connections: 64, requests: []) { _ in
            try await Self.use(of: node)
        }
        let forged = try await Flood.run(port: node.port, connections: 64, requests: forgeries) { flood in
            let before = try await flood.answers().values.reduce(0, +)
            let time = try await Self.use(of: node)
            return (time - idle) / Double(max(1, try await flood.answers().values.reduce(0, +) - before))
        }
        return Figure(
            "the node's time for a forgery (baseline: for a genuine one)", forged, "µs", baseline: spent,
            goal: .ratioAtMost(1))
    }

    /// The processor time, in microseconds, that a node uses in ten seconds. An idle node's own use is subtracted: a flood of
    /// a hundred refusals a second would carry a large share of it.
    private static func use(of node: NodeProcess) async throws -> Double {
        let start = try node.use().processorTime
        try await Task.sleep(for: .seconds(10))
        return (try node.use().processorTime - start) / .microseconds(1)
    }
}
