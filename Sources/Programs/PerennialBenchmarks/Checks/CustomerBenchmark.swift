import HTTPAPI
import NIOCore

/// Checks by customer, each with three subscriptions and a grant: single ones against the same server answering with bytes that it
/// has, and a thousand in a request.
struct CustomerBenchmark: Benchmark {
    static let name = "customers"
    static let abstract = "checks by customer a second: single, of a fixed answer, and a thousand in each request"

    private static let customers = (0..<1_000).map { "u-\(10_000 + $0)" }
    private static let subscriptionsEach = 3
    private static let rounds = 9
    private static let roundLength = Duration.milliseconds(500)
    private static let batchLength = Duration.seconds(4)

    func run(in workspace: Workspace) async throws -> [Figure] {
        let store = try await workspace.store(seeded: Self.customers.count * Self.subscriptionsEach)
        return try await NodeProcess.run(on: store.path, root: workspace.supplies.root) { node in
            try await Self.link(store.ids, on: node)
            try await node.settle()
            return [
                try await Self.singles(on: node, in: workspace),
                Figure(
                    "checks by customer in JSON batches of 1,000", try await Self.rate(.json, node, in: workspace),
                    "1/s", goal: .valueAtLeast(300_000)),
                Figure(
                    "checks by customer in protobuf batches of 1,000",
                    try await Self.rate(.protobuf, node, in: workspace), "1/s", goal: .valueAtLeast(500_000)),
            ]
        }
    }

    private static func link(_ ids: SubscriptionIDs, on node: NodeProcess) async throws {
        let grant = Array(
            """
            {"entitlement":"\(CheckBodies.entitlement)","reason":"order 1","source":"web","permanent":true}
            """.utf8)
        var requests: [ByteBuffer] = []
        for (place, customer) in Self.customers.enumerated() {
            for number in 0..<Self.subscriptionsEach {
                let id = ids[place * Self.subscriptionsEach + number]
                requests.append(.put("/v1/customers/\(customer)/subscriptions/\(id)", body: Array("{}".utf8)))
            }
            requests.append(.put("/v1/customers/\(customer)/grants/order", body: grant))
        }
        let generator = LoadGenerator(port: node.port, connections: CheckBenchmark.connections)
        // The store is as new as the node.
        _ = try await generator.closed([.post("/v1/cluster/finalize", body: [])])
        _ = try await generator.closed(requests)
    }

    private static func singles(on node: NodeProcess, in workspace: Workspace) async throws -> Figure {
        func requests(_ path: String) -> [ByteBuffer] {
            Self.customers.shuffled().map { .post(path, body: CheckBodies.single($0, of: .customer)) }
        }
        let checks = requests("/v1/check")
        let fixed = requests(NodeCommand.fixedCustomerPath)
        let generator = LoadGenerator(port: node.port, connections: CheckBenchmark.connections)
        // Each of them is read once.
        _ = try await generator.closed(checks)
        let answer = try await node.telling("check by customer", in: workspace) {
            try await generator.closed(checks, for: .seconds(1)).entitling(1)
        }
        let difference = answer.firstBody.count - NodeCommand.fixedCustomerAnswer.count
        guard difference.magnitude <= 16 else {
            throw BenchmarkError("an answer is \(difference) bytes longer than the fixed one")
        }
        let comparison = try await LoadComparison(rounds: Self.rounds) { _ in
            try await generator.closed(checks, for: Self.roundLength)
        } baseline: { _ in
            try await generator.closed(fixed, for: Self.roundLength)
        }
        return Figure(
            "single checks by customer (baseline: a fixed answer)", comparison.subject, "1/s",
            baseline: comparison.baseline, ratio: comparison.ratio, goal: .ratioAtLeast(0.85))
    }

    private static func rate(
        _ format: BodyFormat, _ node: NodeProcess, in workspace: Workspace
    ) async throws -> Double {
        let batches = try CheckBodies.batches(of: Self.customers.shuffled(), .customer, as: format)
        let generator = LoadGenerator(port: node.port, connections: BatchBenchmark.connections)
        _ = try await generator.closed(batches, for: .seconds(1)).entitling(CheckBodies.batchSize, as: format)
        let result = try await node.telling("\(format) batch", in: workspace) {
            try await generator.closed(batches, for: Self.batchLength)
        }
        return result.perSecond * Double(CheckBodies.batchSize)
    }
}
