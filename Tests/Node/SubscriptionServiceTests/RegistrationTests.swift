import Customers
import EventLog
import InMemoryStore
import PerennialTestSupport
import Queries
import SQLiteStore
import ServiceContract
import Shards
import SubscriptionService
import Subscriptions
import Testing

/// Tokens and app transactions that customers register, through the whole of a node.
@Suite(.timeLimit(.minutes(10))) struct RegistrationTests: CustomerSuite {
    static let other = CustomerID("u-2")!
    static let tokens = (0..<40).map { "a0eebc99-9c0b-4ef8-bb6d-6bb9bd3801\(String($0 + 10))" }
    static let token = RegistrableIdentifier(.token, tokens[0])!
    private static let account = RegistrableIdentifier.account("7041")

    func registeringNode(_ transfer: TransferPolicy = .keep, _ tokens: TokenPolicy = .registered) throws -> Node {
        var node = try self.node(InMemoryEventStore(shardCount: 16))
        node.configuration.customers.transfer = transfer
        node.configuration.customers.tokens = tokens
        return node
    }

    /// A purchase of which Apple tells, and that nobody posts.
    static func buy(
        _ id: String, token: String? = nil, account: String? = nil, _ node: Node, _ service: SubscriptionService
    ) async throws {
        var life = TestSubscription(id: id, from: node.clock.now - .days(1))
        var bought = life.subscribe()
        bought.period?.appAccountToken = token
        bought.period?.appTransactionID = account
        _ = try await service.ingest(signedPayload: try node.apple.sign(bought))
    }

    static func streams(of customer: CustomerID, _ service: SubscriptionService) async throws -> Set<String> {
        Set(try await service.customer(customer, in: .production, atLeast: nil).streams.map(\.key.id))
    }

    static func refusal(
        of identifier: RegistrableIdentifier, for customer: CustomerID, _ service: SubscriptionService
    ) async -> ServiceError.Code? {
        await Self.refusal(of: [identifier], for: customer, service)
    }

    private static func refusal(
        of identifiers: [RegistrableIdentifier], for customer: CustomerID, _ service: SubscriptionService
    ) async -> ServiceError.Code? {
        do throws(ServiceError) {
            try await service.register(identifiers, for: customer, actor: "shop")
            return nil
        } catch {
            return error.code
        }
    }

    @Test func `what carries a registered token is the customer's, bought before or later, until it is taken back`()
        async throws
    {
        let node = try self.registeringNode()
        try await node.run { service in
            try await Self.buy("1", token: Self.tokens[0].uppercased(), node, service)
            #expect(try await Self.streams(of: Self.customer, service).isEmpty)
            try await service.register([Self.token], for: Self.customer, actor: "shop")
            try await Self.buy("2", token: Self.tokens[0], node, service)
            #expect(try await Self.streams(of: Self.customer, service) == ["1", "2"])
            let view = try await Self.view(service)
            #expect(view.streams.allSatisfy { $0.because == .token } && view.identifiers == [Self.token])
            #expect(try await Self.isEntitled(service))
            let tokenCustomer = CustomerID(Self.tokens[0])!
            #expect(try await Self.streams(of: tokenCustomer, service).isEmpty)

            try await service.release(Self.token, of: Self.other, actor: nil)
            #expect(try await Self.isEntitled(service), "who does not have it takes nothing away")
            for _ in 0..<2 { try await service.release(Self.token, of: Self.customer, actor: "shop") }
            #expect(try await Self.streams(of: Self.customer, service).isEmpty)
            #expect(try await !Self.isEntitled(service))
        }
    }

    @Test func `with tokens that are ids a registration goes first, and where it ends the id counts again`()
        async throws
    {
        let node = try self.registeringNode(.transfer, .id)
        let named = CustomerID(Self.tokens[0])!
        try await node.run { service in
            try await service.register([Self.token], for: Self.customer, actor: nil)
            try await Self.buy("1", token: Self.tokens[0], node, service)
            #expect(try await Self.streams(of: Self.customer, service) == ["1"])
            #expect(try await Self.streams(of: named, service).isEmpty)
            try await service.release(Self.token, of: Self.customer, actor: nil)
            #expect(try await Self.streams(of: Self.customer, service).isEmpty)
            #expect(try await Self.streams(of: named, service) == ["1"])
        }
    }

    @Test func `an account leads to who has registered it where a purchase carries no token`() async throws {
        let node = try self.registeringNode(.keep, .id)
        try await node.run { service in
            try await service.register([Self.account], for: Self.customer, actor: nil)
            try await Self.buy("1", account: "7041", node, service)
            try await Self.buy("2", token: Self.tokens[1], account: "7041", node, service)
            #expect(try await Self.streams(of: Self.customer, service) == ["1"])
            #expect(try await Self.view(service).streams[0].because == .appTransactionID)
            // A backend may say who has such a purchase, whatever the policy.
            try await service.link(StreamReference(id: "1"), LinkRequest(Self.other, origin: .backend))
            #expect(try await Self.streams(of: Self.other, service) == ["1"])
            #expect(try await Self.streams(of: Self.customer, service).isEmpty)
        }
    }

    @Test(arguments: TransferPolicy.allCases, [true, false])
    func `what another customer has goes by the policy`(_ policy: TransferPolicy, _ isActive: Bool) async throws {
        let node = try self.registeringNode(policy)
        try await node.run { service in
            try await service.register([Self.token], for: Self.customer, actor: nil)
            try await Self.buy("1", token: Self.tokens[0], node, service)
            if !isActive { node.clock.advance(to: node.clock.now + .days(200)) }
            let moves = policy == .transfer || policy == .transferIfInactive && !isActive
            #expect(
                await Self.refusal(of: Self.token, for: Self.other, service) == (moves ? nil : .tokenElsewhere))
            let (winner, loser) = moves ? (Self.other, Self.customer) : (Self.customer, Self.other)
            #expect(try await Self.streams(of: winner, service) == ["1"])
            #expect(try await Self.streams(of: loser, service).isEmpty)
            #expect(await Self.refusal(of: Self.token, for: winner, service) == nil, "the winner has it already")
        }
    }

    @Test func `the token of a purchase that is somebody's by id is somebody else's`() async throws {
        let node = try self.registeringNode(.keep, .id)
        let named = CustomerID(Self.tokens[0])!
        try await node.run { service in
            try await Self.buy("1", token: Self.tokens[0], node, service)
            #expect(await Self.refusal(of: Self.token, for: Self.customer, service) == .tokenElsewhere)
            #expect(try await Self.streams(of: named, service) == ["1"])
            #expect(await Self.refusal(of: Self.token, for: named, service) == nil)
            // Once the purchase is linked elsewhere nobody has it by the token alone.
            try await service.release(Self.token, of: named, actor: nil)
            try await service.link(
                StreamReference(id: "1"), LinkRequest(named, origin: .backend, action: .unlink))
            #expect(await Self.refusal(of: Self.token, for: Self.customer, service) == nil)
        }
    }

    @Test func `where one of several is refused none is begun`() async throws {
        let node = try self.registeringNode()
        try await node.run { service in
            try await service.register([Self.account], for: Self.other, actor: nil)
            let error = await #expect(throws: ServiceError.self) {
                try await service.register([Self.token, Self.account], for: Self.customer, actor: nil) {
                    () throws(ServiceError) in Issue.record("nothing is done in between")
                }
            }
            #expect(error?.code == .tokenElsewhere)
            #expect(try await !Self.view(service).isKnown)
        }
    }

    @Test func `of many who register at once one has it, and nobody keeps a part`() async throws {
        let node = try self.registeringNode()
        let identifiers = Self.tokens.prefix(6).compactMap { RegistrableIdentifier(.token, $0) } + [Self.account]
        try await node.run { service in
            for round in 0..<10 {
                let customers = (0..<6).map { CustomerID("r\(round)-\($0)")! }
                let codes = await withTaskGroup(of: ServiceError.Code?.self) { group in
                    for (number, customer) in customers.enumerated() {
                        let order = number.isMultiple(of: 2) ? identifiers : identifiers.reversed()
                        group.addTask {
                            do throws(ServiceError) {
                                try await service.register(order, for: customer, actor: nil)
                                return nil
                            } catch {
                                return error.code
                            }
                        }
                    }
                    return await group.reduce(into: []) { $0.append($1) }
                }
                #expect(codes.count { $0 == nil } == 1)
                #expect(codes.allSatisfy { [nil, .tokenElsewhere, .customerMoving].contains($0) }, "\(codes)")
                var held: [Int] = []
                for customer in customers {
                    let found = try await service.customer(customer, in: .production, atLeast: nil).identifiers
                    held.append(found.count)
                    for identifier in found { try await service.release(identifier, of: customer, actor: nil) }
                }
                #expect(held.allSatisfy { $0 == 0 || $0 == identifiers.count }, "\(held)")
                #expect(held.count { $0 > 0 } == codes.count { $0 == nil })
            }
        }
    }

    @Test func `what somebody has been told is his stays his when the request that began it is refused`()
        async throws
    {
        let node = try self.registeringNode()
        let pair = Self.tokens.prefix(2).compactMap { RegistrableIdentifier(.token, $0) }
        try await node.run { service in
            for round in 0..<30 {
                let customer = CustomerID("p-\(round)")!
                async let whole: ServiceError.Code? = Self.refusal(of: pair, for: customer, service)
                async let other: ServiceError.Code? = Self.refusal(of: [pair[1]], for: Self.other, service)
                async let again: ServiceError.Code? = Self.refusal(of: [pair[0]], for: customer, service)
                let codes = await (whole, other, again)
                let held = try await service.customer(customer, in: .production, atLeast: nil).identifiers
                if codes.0 == nil { #expect(Set(held) == Set(pair)) }
                if codes.2 == nil { #expect(held.contains(pair[0]), "\(codes)") }
                if codes.1 == nil { #expect(!held.contains(pair[1])) }
                #expect((codes.0 == nil) != (codes.1 == nil), "\(codes)")
                for identifier in pair {
                    try await service.release(identifier, of: customer, actor: nil)
                    try await service.release(identifier, of: Self.other, actor: nil)
                }
            }
        }
    }

    @Test func `a registration is said once, and one of several that may be taken back once more at most`()
        async throws
    {
        let node = try self.registeringNode()
        try await node.run { service in
            func events() async throws -> Int { try await service.changes(after: nil, limit: 100).events.count }
            for _ in 0..<3 { try await service.register([Self.token], for: Self.customer, actor: nil) }
            #expect(try await events() == 1)
            let three = Self.tokens[1...3].compactMap { RegistrableIdentifier(.token, $0) }
            try await service.register(three, for: Self.customer, actor: nil)
            #expect(try await events() == 4)
            for _ in 0..<3 { try await service.register(three, for: Self.customer, actor: nil) }
            #expect(try await events() == 6)
        }
    }

    @Test func `who gives up what another request holds for now does not get it back`() async throws {
        let node = try self.registeringNode(.transfer)
        let pair = Self.tokens.prefix(2).compactMap { RegistrableIdentifier(.token, $0) }
        try await node.run { service in
            func versions() async throws -> Int { try await service.changes(after: nil, limit: 100).events.count }
            try await service.register(pair, for: Self.customer, actor: nil)
            try await service.register(pair, for: Self.other, actor: nil)
            let before = try await versions()
            // One of the two may still be taken back; whichever it is, it is made to last.
            for _ in 0..<2 {
                for identifier in pair { try await service.release(identifier, of: Self.customer, actor: nil) }
            }
            #expect(try await versions() == before + 1)
            let view = try await service.customer(Self.other, in: .production, atLeast: nil)
            #expect(Set(view.identifiers) == Set(pair))
        }
    }

    @Test func `what is registered goes along with a move, and under the old id is registered for the new one`()
        async throws
    {
        let node = try self.registeringNode()
        try await node.run { service in
            try await service.register([Self.token], for: Self.customer, actor: nil)
            try await Self.buy("1", token: Self.tokens[0], node, service)
            _ = try await service.move(Self.customer, to: Self.other, actor: nil)
            #expect(try await Self.streams(of: Self.other, service) == ["1"])
            try await service.register([Self.account, Self.token], for: Self.customer, actor: nil)
            try await Self.buy("2", account: "7041", node, service)
            #expect(try await Self.streams(of: Self.other, service) == ["1", "2"])
            let view = try await service.customer(Self.other, in: .production, atLeast: nil)
            #expect(Set(view.identifiers) == [Self.token, Self.account])
            try await service.release(Self.token, of: Self.customer, actor: nil)
            #expect(try await Self.streams(of: Self.other, service) == ["2"])
        }
    }

    @Test func `a link is overruled by a registered token of a later purchase only`() async throws {
        let node = try self.registeringNode()
        try await node.run { service in
            var life = TestSubscription(id: "1", from: node.clock.now - .days(1))
            var bought = life.subscribe()
            bought.period?.appAccountToken = Self.tokens[0]
            _ = try await service.ingest(signedPayload: try node.apple.sign(bought))
            try await service.link(StreamReference(id: "1"), LinkRequest(Self.other, origin: .backend))
            node.clock.advance(to: node.clock.now + .days(31))
            var renewed = life.renew()
            renewed.period?.appAccountToken = Self.tokens[1]
            _ = try await service.ingest(signedPayload: try node.apple.sign(renewed))
            #expect(try await Self.streams(of: Self.other, service) == ["1"], "it leads nowhere")
            try await service.register(
                [RegistrableIdentifier(.token, Self.tokens[1])!], for: Self.customer, actor: nil)
            #expect(try await Self.streams(of: Self.customer, service) == ["1"])
            #expect(try await Self.streams(of: Self.other, service).isEmpty)
            // Linked again, it is a contradiction.
            await #expect(throws: ServiceError.self) {
                try await service.link(StreamReference(id: "1"), LinkRequest(Self.other, origin: .backend))
            }
            let preview = try await service.preview(
                StreamReference(id: "1"), LinkRequest(Self.customer, origin: .backend, action: .unlink))
            #expect(preview.wouldLose.map(\.customer) == [Self.customer])
        }
    }

    @Test func `the log alone says who has registered what, and a restart changes nothing`() async throws {
        let directory = try TemporaryDirectory()
        var streams: [Set<String>] = []
        for isFirst in [true, false] {
            let store = try Node.sqlite(in: directory)
            var node = try self.node(store)
            node.configuration.customers.transfer = .transfer
            try await node.run { [node] service in
                if isFirst {
                    try await service.register([Self.token, Self.account], for: Self.customer, actor: nil)
                    try await service.register([Self.token], for: Self.other, actor: nil)
                    try await Self.buy("1", token: Self.tokens[0], node, service)
                    try await Self.buy("2", account: "7041", node, service)
                    try await service.release(Self.account, of: Self.customer, actor: nil)
                }
            }
            streams += try await node.run { service in
                [
                    try await Self.streams(of: Self.other, service),
                    try await Self.streams(of: Self.customer, service),
                ]
            }
            if !isFirst {
                let replay = LogReplay(store: store)
                var replayed: [PublisherState] = []
                for shard in (0..<16).map(ShardID.init(rawValue:)) {
                    replayed += try await replay.streams(of: shard).compactMap(\.publisher).filter {
                        $0.customer == nil
                    }
                }
                #expect(
                    Set(replayed) == [
                        .identifier(RegisteredIdentifier(Self.tokens[0], holder: Self.other)),
                        .identifier(RegisteredIdentifier("7041")),
                    ])
            }
            try store.close()
        }
        #expect(streams == [["1"], [], ["1"], []])
    }
}
