import Clustering
import Customers
import Entitlements
import EventLog
import Mirroring
import Ownership
import PerennialTestSupport
import ServiceContract
import Shards
import SubscriptionService
import Subscriptions
import Synchronization
import Testing
import ZeroMQ

/// Checks of customers on nodes that divide the shards, and hear from one another over real sockets.
@Suite(.timeLimit(.minutes(10))) struct MirroredCustomerTests {
    private static let names = ["a", "b", "c", "nobody"]
    private static let questions = names.flatMap { name in
        ["pro", nil].map { CustomerQuestion(CustomerID(name)!, entitlement: $0) }
    }

    private struct Running {
        let service: SubscriptionService
        let tap: PublishingNode.Tap
    }

    /// Runs both nodes for as long as `body` takes.
    private func run(_ body: @escaping @Sendable ([Running]) async throws -> Void) async throws {
        let store = try PublishingNode().store
        _ = try store.raiseFeatureLevel(to: .supported)
        let nodes = try ["a", "b"].map { name in
            var node = try PublishingNode(sharing: store)
            node.catalog = Catalog([Catalog.Entry(entitlement: "pro", products: ["pro.monthly"])])
            node.runtime.customers.transfer = .transfer
            node.runtime.node = NodeID(rawValue: name)
            var terms = LeaseTerms(length: .seconds(60))
            terms.readingInterval = .milliseconds(20)
            terms.beatInterval = .milliseconds(50)
            terms.settling = .milliseconds(50)
            node.runtime.lease = terms
            node.runtime.cluster = ClusterConfiguration(
                node: node.runtime.node, incarnation: Incarnation(rawValue: .random(in: .min ... .max)),
                bind: "tcp://127.0.0.1:*", keys: try CurveKeyPair())
            node.runtime.mirror = EntitlementMirror(map: ShardHash(shardCount: 16)!, staleness: .seconds(1_000))
            return node
        }
        try await nodes[0].run(keeping: nodes[0].runtime.mirror!) { first, firstTap in
            try await nodes[1].run(keeping: nodes[1].runtime.mirror!) { second, secondTap in
                try await body([Running(service: first, tap: firstTap), Running(service: second, tap: secondTap)])
            }
        }
    }

    private static func ask(
        _ node: Running, _ consistency: Consistency, atLeast token: String? = nil
    ) async throws -> (results: [CustomerResult], response: CheckResponse) {
        try await node.service.check(Self.questions, besides: .nothing, consistency: consistency, atLeast: token)
    }

    private static func remembered(_ node: Running, atLeast token: String? = nil) throws -> [CustomerResult]? {
        try node.service.checkFromMemory(
            Self.questions, besides: .nothing, consistency: .local, atLeast: token)?.results
    }

    /// Something of what happens to customers, by way of either node.
    private static func happen(_ nodes: [Running], using random: inout SeededGenerator) async throws {
        let service = nodes.randomElement(using: &random)!.service
        let customer = CustomerID(self.names.randomElement(using: &random)!)!
        let number = Int.random(in: 1...6, using: &random)
        switch Int.random(in: 0..<8, using: &random) {
        case 0, 1: try await service.renew(number, period: Int.random(in: 0...3, using: &random))
        case 2...5:
            try? await service.link(
                StreamReference(id: "\(2_000_000_000 + number)"),
                LinkRequest(
                    customer, origin: .backend,
                    action: Int.random(in: 0..<4, using: &random) == 0 ? .unlink : .link))
        case 6:
            let grant = Grant(
                id: "g", entitlement: "pro", reason: "r", source: "web", from: PublishingNode.start, until: nil)
            let content: CustomerRequest.Content =
                Bool.random(using: &random)
                ? .revoke(grant: "g") : .grant(grant, startsNow: true, replaces: true)
            _ = try? await service.change(CustomerRequest(customer, content, actor: "shop"))
        default:
            guard Int.random(in: 0..<3, using: &random) == 0 else { return }
            _ = try? await service.move(
                customer, to: CustomerID(self.names.randomElement(using: &random)!)!, actor: nil)
        }
    }

    /// Until every shard has come.
    private func start(_ nodes: [Running]) async throws {
        for node in nodes {
            await eventually {
                guard (try? await Self.ask(node, .local)) != nil else { return false }
                return (try? Self.remembered(node)) != nil
            }
        }
    }

    @Test(arguments: [false, true], 1...3)
    func `memory comes to say what the store says, and at once where a token asks for that`(
        _ isLossy: Bool, _ seed: UInt64
    ) async throws {
        try await self.run { nodes in
            try await self.start(nodes)
            if isLossy { for node in nodes { node.tap.loseOne(of: 3) } }
            var random = SeededGenerator(seed: seed)
            for step in 0..<100 {
                try await Self.happen(nodes, using: &random)
                let committed = try await Self.ask(nodes[0], .durable)
                for node in nodes {
                    let told = try await Self.ask(node, .local, atLeast: committed.response.token)
                    #expect(told.results == committed.results, "\(seed) \(step)")
                    let known = try Self.remembered(node, atLeast: committed.response.token)
                    #expect(known == nil || known == committed.results, "\(seed) \(step)")
                }
                guard step % 10 == 9 else { continue }
                for node in nodes {
                    await eventually {
                        _ = try? await Self.ask(node, .local)
                        return (try? Self.remembered(node, atLeast: committed.response.token)) == committed.results
                    }
                    #expect(try Self.remembered(node) == committed.results)
                }
            }
        }
    }
}

extension CheckResponse {
    /// Of no questions.
    fileprivate static let nothing = CheckResponse(
        results: [], asOf: PublishingNode.start, stale: false, token: "")
}
