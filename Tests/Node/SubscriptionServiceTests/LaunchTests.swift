import Customers
import InMemoryStore
import PerennialTestSupport
import Queries
import ServiceContract
import Shards
import SubscriptionService
import Subscriptions
import Testing

/// What a device has at a launch, through a whole node.
@Suite(.timeLimit(.minutes(10))) struct LaunchTests: CustomerSuite {
    private static let other = CustomerID("u-2")!
    private static let account = "704100000000000001"

    private func run(
        _ policy: TransferPolicy = .keep, _ body: @Sendable (SubscriptionService, Node) async throws -> Void
    ) async throws {
        var node = try self.node(InMemoryEventStore(shardCount: 16))
        node.configuration.customers.transfer = policy
        try await node.run { [node] service in try await body(service, node) }
    }

    private static func bought(_ id: String, account: String? = nil) -> TestNotification {
        var life = TestSubscription(id: id, from: Node.start - .days(1))
        var bought = life.subscribe()
        bought.period?.appTransactionID = account
        return bought
    }

    private static func signed(_ bought: TestNotification, _ node: Node) throws -> (transaction: [UInt8], info: [UInt8])
    {
        (try node.apple.transaction(bought), try node.apple.sign(try #require(bought.period).renewalJSON(bought)))
    }

    private static func appTransaction(_ node: Node, id: String = Self.account, receipt: String = "Production") throws
        -> [UInt8]
    {
        try node.apple.sign(
            """
            {"receiptType":"\(receipt)","bundleId":"com.example.app","appAppleId":1234567890,\
            "receiptCreationDate":\(Node.start.milliseconds),"appTransactionId":"\(id)"}
            """)
    }

    private static func outcomes(_ answer: LaunchAnswer) -> [String] {
        answer.items.map { item in
            switch item.outcome {
            case .recorded: "\(item.kind) recorded \(item.stream?.id ?? "-")"
            case .elsewhere: "\(item.kind) elsewhere \(item.stream?.id ?? "-")"
            case .ignored: "\(item.kind) ignored"
            case .refused(let code): "\(item.kind) \(code.rawValue)"
            }
        }
    }

    private static func isEntitled(_ answer: LaunchAnswer) -> Bool {
        answer.entitlements.answers.contains { $0.entitled && $0.entitlement == "pro" }
    }

    @Test func `all that a device has is recorded and linked, and one bad item spoils nothing`() async throws {
        try await self.run { service, node in
            let (one, two) = (try Self.signed(Self.bought("1"), node), try Self.signed(Self.bought("2"), node))
            // It claims to be of the stream of a genuine one.
            let forged = try TestAppStore(seed: 2).transaction(Self.bought("1"))
            let unknown = try Self.signed(Self.bought("9"), node).info
            var broken = two.info
            broken[broken.count - 1] ^= 1
            let launch = Launch(
                Self.customer, in: .production, transactions: [one.transaction, forged, two.transaction, [1, 2]],
                renewalInfos: [broken, one.info, unknown], actor: "shop")
            for _ in 0..<2 {
                let answer = try await service.launch(launch)
                #expect(
                    Self.outcomes(answer) == [
                        "transaction recorded 1", "transaction VERIFICATION_FAILURE", "transaction recorded 2",
                        "transaction INVALID_JWT_FORMAT", "renewalInfo \(Self.refusalOfBroken)",
                        "renewalInfo recorded 1", "renewalInfo transactionElsewhere",
                    ])
                #expect(Self.isEntitled(answer))
            }
            let view = try await service.customer(Self.customer, in: .production, atLeast: nil)
            #expect(Set(view.streams.map(\.key.id)) == ["1", "2"])
            #expect(try await service.view("1").snapshot?.autoRenew == true, "the renewal info counts")
            let events = try await service.history(StreamReference(id: "1"))
            #expect(events.filter { $0.event.kind == .linked }.count == 1, "a repetition adds nothing")
        }
    }

    private static let refusalOfBroken = "VERIFICATION_FAILURE"

    @Test func `each item counts in its own environment and app, and what names no account is ignored`() async throws {
        try await self.run { service, node in
            var sandbox = Self.bought("1")
            sandbox.environment = .sandbox
            var elsewhere = Self.bought("2")
            elsewhere.bundle = BundleID(rawValue: "com.example.unknown")
            let old = try node.apple.sign(
                "{\"receiptType\":\"Production\",\"bundleId\":\"com.example.app\",\"appAppleId\":1234567890}")
            let answer = try await service.launch(
                Launch(
                    Self.customer, in: .production,
                    transactions: try [sandbox, elsewhere].map { try node.apple.transaction($0) }, appTransaction: old))
            #expect(
                Self.outcomes(answer) == [
                    "transaction recorded 1", "transaction INVALID_APP_IDENTIFIER", "appTransaction ignored",
                ])
            #expect(!Self.isEntitled(answer))
            let other = try await service.launch(Launch(Self.customer, in: .sandbox))
            #expect(Self.isEntitled(other))
        }
    }

    @Test func `what was unlinked stays so until the user restores, and who is deleted does not launch`() async throws {
        try await self.run { service, node in
            let transaction = try node.apple.transaction(Self.bought("1"))
            let launch = Launch(Self.customer, in: .production, transactions: [transaction])
            _ = try await service.launch(launch)
            let link = LinkRequest(Self.customer, origin: .backend, action: .unlink, actor: "care")
            try await service.link(StreamReference(id: "1"), link)
            let again = try await service.launch(launch)
            #expect(
                Self.outcomes(again) == ["transaction recorded 1"],
                "it led nowhere: nobody has said that it is nobody's")
            _ = try await service.delete(Self.customer, actor: nil)
            let code = await Self.code { () throws(ServiceError) in _ = try await service.launch(launch) }
            #expect(code == .customerDeleted)
            let next = Launch(Self.other, in: .production, transactions: [transaction])
            #expect(Self.outcomes(try await service.launch(next)) == ["transaction elsewhere 1"], "it is an orphan")
            var restoring = next
            restoring.restores = true
            #expect(Self.isEntitled(try await service.launch(restoring)))
        }
    }

    @Test func `what is another customer's stays so without a conflict, until the user restores`() async throws {
        for policy in TransferPolicy.allCases {
            try await self.run(policy) { service, node in
                let transaction = try node.apple.transaction(Self.bought("1"))
                func launch(_ customer: CustomerID, restores: Bool = false) async throws -> LaunchAnswer {
                    try await service.launch(
                        Launch(customer, in: .production, transactions: [transaction], restores: restores))
                }
                #expect(Self.outcomes(try await launch(Self.customer)) == ["transaction recorded 1"])
                let second = try await launch(Self.other)
                #expect(Self.outcomes(second) == ["transaction elsewhere 1"] && !Self.isEntitled(second))
                let left = try await service.customer(Self.other, in: .production, atLeast: nil)
                #expect(left.conflicts.isEmpty && !left.isKnown)
                let restored = try await launch(Self.other, restores: true)
                let moves = policy == .transfer || policy == .share
                #expect(Self.outcomes(restored) == ["transaction \(moves ? "recorded" : "elsewhere") 1"])
                #expect(Self.isEntitled(restored) == moves)
                let after = try await service.customer(Self.other, in: .production, atLeast: nil)
                #expect(after.conflicts.count == (moves ? 0 : 1), "somebody has asked for it")
            }
        }
    }

    @Test func `an app transaction leads to whoever launched with it first`() async throws {
        try await self.run { service, node in
            let app = try Self.appTransaction(node)
            func launch(_ customer: CustomerID, _ jws: [UInt8]) async throws -> LaunchAnswer {
                try await service.launch(Launch(customer, in: .production, appTransaction: jws))
            }
            for _ in 0..<2 {
                #expect(Self.outcomes(try await launch(Self.customer, app)) == ["appTransaction recorded -"])
            }
            #expect(Self.outcomes(try await launch(Self.other, app)) == ["appTransaction elsewhere -"])
            #expect(try await service.find(Self.account).customer == Self.customer)
            // What was bought on the App Store's pages is theirs then.
            let payload = try node.apple.sign(Self.bought("1", account: Self.account))
            _ = try await service.ingest(signedPayload: payload)
            let answer = try await service.launch(Launch(Self.customer, in: .production))
            #expect(answer.items.isEmpty && Self.isEntitled(answer), "a device that sends nothing is answered too")
            let forged = try TestAppStore(seed: 2).sign("{}")
            let refused = try await launch(Self.other, forged)
            guard case .refused? = refused.items.first?.outcome else {
                Issue.record("\(refused.items)")
                return
            }
        }
    }

    @Test func `a launch under an id that has been moved is the other one's`() async throws {
        try await self.run { service, node in
            let transaction = try node.apple.transaction(Self.bought("1"))
            try await service.change(Self.grant("g"))
            _ = try await service.move(Self.customer, to: Self.other, actor: nil)
            let answer = try await service.launch(
                Launch(
                    Self.customer, in: .production, transactions: [transaction],
                    appTransaction: try Self.appTransaction(node)
                ))
            #expect(answer.entitlements.movedTo == Self.other && !Self.isEntitled(answer))
            let view = try await service.customer(Self.other, in: .production, atLeast: nil)
            #expect(view.streams.map(\.key.id) == ["1"] && view.identifiers.map(\.text) == [Self.account])
        }
    }

    @Test func `too much at once, and a store that is not finalized, are refused as a whole`() async throws {
        try await self.run { service, node in
            let items = [[UInt8]](repeating: [1], count: Launch.limit)
            let answer = try await service.launch(Launch(Self.customer, in: .production, transactions: items))
            #expect(answer.items.count == Launch.limit)
            let code = await Self.code { () throws(ServiceError) in
                _ = try await service.launch(
                    Launch(Self.customer, in: .production, transactions: items, renewalInfos: [[1]]))
            }
            #expect(code == .invalidRequest)
        }
        try await Node(store: InMemoryEventStore(shardCount: 16)).run { service in
            let code = await Self.code { () throws(ServiceError) in
                _ = try await service.launch(Launch(Self.customer, in: .production))
            }
            #expect(code == .olderNodes)
        }
    }
}
