import AppStoreSimulator
import ByteCoding
import NIOCore

/// What devices send when an app is launched: twenty signed transactions in one call, most of them new.
struct LaunchBenchmark: Benchmark {
    static let name = "launch"
    static let abstract = "launches with 20 signed transactions over HTTP: verified, recorded, linked and answered"

    private static let transactions = 20
    private static let warmUp = 100
    private static let atFullSpeed = 400
    private static let pace = 100
    /// Over sooner than a node closes connections that no request has come on.
    private static let paced = 800

    func run(in workspace: Workspace) async throws -> [Figure] {
        let count = Self.warmUp + Self.atFullSpeed + Self.paced
        workspace.say("  signing \(count * Self.transactions) transactions")
        let requests = try await Self.requests(count, authority: workspace.supplies.authority)
        let store = await workspace.supplies.newStore()
        let (closed, open) = try await NodeProcess.run(on: store, root: workspace.supplies.root) { node in
            let generator = LoadGenerator(port: node.port, connections: 16)
            _ = try await generator.closed([.post("/v1/cluster/finalize", body: [])])
            _ = try await generator.closed(Array(requests[..<Self.warmUp]))
            let fast = requests[Self.warmUp..<Self.warmUp + Self.atFullSpeed]
            let closed = try await node.telling("launch", in: workspace) { try await generator.closed(Array(fast)) }
            let open = try await node.telling("launch at \(Self.pace)/s", in: workspace) {
                try await generator.open(
                    Array(requests[(Self.warmUp + Self.atFullSpeed)...]), perSecond: Self.pace)
            }
            return (closed, open)
        }
        return [
            Figure("launches with 20 signed transactions", closed.perSecond, "1/s"),
            Figure("launch p99 at 100/s", open.latency(percentile: 99), "ms", goal: .valueAtMost(60)),
        ]
    }

    /// Each of a customer of its own.
    private static func requests(_ count: Int, authority: CertificateAuthority) async throws -> [ByteBuffer] {
        let factory = try LifecycleFactory(seed: 12, authority: authority)
        var signed: [[UInt8]] = []
        var customer = 0
        while signed.count < count * Self.transactions {
            for notification in try factory.notifications(ofCustomer: customer) {
                if let transaction = Self.transaction(in: notification.signedPayload) { signed.append(transaction) }
            }
            customer += 1
        }
        return (0..<count).map { number in
            let first = number * Self.transactions
            let texts = signed[first..<first + Self.transactions].map { "\"\(String(decoding: $0, as: UTF8.self))\"" }
            let body = "{\"signedTransactions\":[\(texts.joined(separator: ","))]}"
            return .post("/v1/customers/launch-\(number)/launch", body: Array(body.utf8))
        }
    }

    /// That a notification carries.
    private static func transaction(in notification: [UInt8]) -> [UInt8]? {
        guard let payload = CompactJWS(notification[...]).flatMap({ Base64.url.decode($0.payload) }),
            let name = payload.firstRange(of: Array("\"signedTransactionInfo\":\"".utf8))
        else { return nil }
        return Array(payload[name.upperBound...].prefix { $0 != UInt8(ascii: "\"") })
    }
}
