import Customers
import EventLog
import InMemoryStore
import PerennialTestSupport
import ServiceContract
import Shards
import SubscriptionService
import Subscriptions
import Testing
import WireProtocol

/// What a preview says is what the change then does, whoever has what, under every policy.
@Suite(.timeLimit(.minutes(10))) struct CustomerPreviewLawTests {
    private static let token = "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"
    private static let account = "7041"
    private static let names = ["a", "b", "c", token]
    private static let environments = [AppStoreEnvironment.production, .sandbox]

    /// Whose entitlement ends when; what a customer does not have is not here.
    private typealias Ends = [Key: Moment]

    private struct Key: Hashable {
        var customer: CustomerID
        var environment: AppStoreEnvironment
    }

    /// A node with four purchases: one that carries a token, one in Sandbox, and one that is over.
    private func run(
        _ policy: TransferPolicy, _ body: @Sendable @escaping (SubscriptionService) async throws -> Void
    ) async throws {
        let store = InMemoryEventStore(shardCount: 16)
        _ = store.raiseFeatureLevel(to: .supported)
        var node = try Node(store: store)
        node.configuration.customers.transfer = policy
        node.configuration.customers.sandboxByApp[TestAppStore.bundles[0]] = .listed(
            customers: [try #require(CustomerID("a"))], tokens: [])
        let posts = try (1...4).map { number in
            var life = TestSubscription(
                id: "\(number)", from: Node.start - .days(number == 4 ? 200 : Int64(number)))
            var bought = life.subscribe()
            if number == 2 { bought.period?.appAccountToken = Self.token }
            if number == 1 { bought.period?.appTransactionID = Self.account }
            if number == 3 { bought.environment = .sandbox }
            return try node.apple.transaction(bought)
        }
        try await node.run { service in
            for post in posts { _ = try await service.record(signedTransaction: post, signedRenewalInfo: nil) }
            try await body(service)
        }
    }

    private func ends(_ service: SubscriptionService) async throws -> Ends {
        var ends: Ends = [:]
        for name in Self.names {
            let customer = try #require(CustomerID(name))
            for environment in Self.environments {
                let view = try await service.customer(customer, in: environment, atLeast: nil)
                guard let answer = view.entitlements.first, answer.entitled else { continue }
                ends[Key(customer: customer, environment: environment)] = answer.validUntil ?? .distantFuture
            }
        }
        return ends
    }

    private enum Request {
        case link(StreamReference, LinkRequest)
        case move(CustomerID, to: CustomerID)

        init(using random: inout SeededGenerator) throws {
            let pair = CustomerPreviewLawTests.names.shuffled(using: &random).prefix(2)
            let customers = try pair.map { try #require(CustomerID($0)) }
            guard Int.random(in: 0..<8, using: &random) > 0 else {
                self = .move(customers[0], to: customers[1])
                return
            }
            let number = Int.random(in: 1...4, using: &random)
            self = .link(
                StreamReference(id: "\(number)", environment: number == 3 ? .sandbox : .production),
                LinkRequest(
                    customers[0], origin: .backend,
                    action: Int.random(in: 0..<3, using: &random) == 0 ? .unlink : .link))
        }

        func preview(_ service: SubscriptionService) async throws -> ChangePreview {
            switch self {
            case .link(let stream, let request): try await service.preview(stream, request)
            case .move(let source, let target): try await service.preview(moving: source, to: target)
            }
        }

        /// nil where it was done.
        func refusal(_ service: SubscriptionService) async throws -> ServiceError.Code? {
            do throws(ServiceError) {
                switch self {
                case .link(let stream, let request): try await service.link(stream, request)
                case .move(let source, let target): _ = try await service.move(source, to: target, actor: nil)
                }
                return nil
            } catch {
                return error.code
            }
        }
    }

    /// Access from elsewhere comes and goes meanwhile, and so does what is registered.
    private func change(
        _ service: SubscriptionService, using random: inout SeededGenerator
    ) async throws {
        let customer = try #require(CustomerID(Self.names.randomElement(using: &random)!))
        if Bool.random(using: &random) {
            let identifiers = [RegistrableIdentifier(.token, Self.token)!, .account(Self.account)]
            let identifier = identifiers.randomElement(using: &random)!
            if Bool.random(using: &random) {
                try? await service.register([identifier], for: customer, actor: nil)
            } else {
                try? await service.release(identifier, of: customer, actor: nil)
            }
            return
        }
        let days = Int64.random(in: 1...90, using: &random)
        let grant = Grant(
            id: "g", entitlement: "pro", reason: "r", source: "web", from: Node.start,
            until: Bool.random(using: &random) ? Node.start + .days(days) : nil,
            environment: Self.environments.randomElement(using: &random)!)
        let content: CustomerRequest.Content =
            Bool.random(using: &random)
            ? .revoke(grant: "g") : .grant(grant, startsNow: true, replaces: true)
        _ = try? await service.change(CustomerRequest(customer, content, actor: "shop"))
    }

    @Test(arguments: TransferPolicy.allCases, 1...6)
    func `a preview comes true, and one that is refused is refused`(
        _ policy: TransferPolicy, _ seed: UInt64
    ) async throws {
        try await self.run(policy) { service in
            var random = SeededGenerator(seed: seed)
            var (hasGained, hasLost, hasRefused) = (false, false, false)
            for _ in 0..<60 {
                if Int.random(in: 0..<3, using: &random) == 0 {
                    try await self.change(service, using: &random)
                    continue
                }
                let request = try Request(using: &random)
                let before = try await self.ends(service)
                let preview = try await request.preview(service)
                #expect(try await self.ends(service) == before, "a preview changes nothing")
                #expect(try await request.refusal(service) == preview.refused, "\(request)")
                let after = try await self.ends(service)

                var (gain, lose): (Ends, Ends) = ([:], [:])
                for key in Set(before.keys).union(after.keys) {
                    let (old, new) = (before[key] ?? .distantPast, after[key] ?? .distantPast)
                    if new > old { gain[key] = new }
                    if new < old { lose[key] = old }
                }
                #expect(Self.ends(preview.wouldGain) == gain, "\(policy) \(request)")
                #expect(Self.ends(preview.wouldLose) == lose, "\(policy) \(request)")
                #expect(preview.refused == nil || preview.changes.isEmpty)
                hasGained = hasGained || !gain.isEmpty
                hasLost = hasLost || !lose.isEmpty
                hasRefused = hasRefused || preview.refused != nil
            }
            #expect(hasGained && hasLost)
            #expect(hasRefused || policy == .transfer || policy == .share)
        }
    }

    private static func ends(_ entitlements: [ChangePreview.Entitlement]) -> Ends {
        entitlements.reduce(into: [:]) { ends, one in
            ends[Key(customer: one.customer, environment: one.environment)] = one.validUntil ?? .distantFuture
        }
    }
}
