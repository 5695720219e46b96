import AppStore
import PerennialTestSupport
import Reconciliation
import ServiceContract
import Shards
import SubscriptionService
import Subscriptions
import Testing

/// What a client alone says of a one-time purchase is asked about: Apple shows the transaction itself.
@Suite(.timeLimit(.minutes(10))) struct PurchaseDoubtTests {
    private static let id = "900"
    private static let bought = Node.start - .days(10)

    private let apple = ScriptedApple()
    private let node: Node

    init() throws {
        var node = try Node()
        node.configuration.serverAPI = [try self.apple.client()]
        node.configuration.sweepPause = .seconds(3_600)
        self.node = node
    }

    /// The purchase as Apple signs it at `signed`, under another identifier if it was restored.
    private func transaction(
        _ id: String = Self.id, signed: Moment, refunded: Moment? = nil
    ) throws -> [UInt8] {
        let revocation = refunded.map { #""revocationDate":\#($0.milliseconds),"revocationReason":0,"# } ?? ""
        return try self.node.apple.sign(
            """
            {"transactionId":"\(id)","originalTransactionId":"\(Self.id)","bundleId":"com.example.app",\
            "productId":"lifetime","type":"Non-Consumable","quantity":1,"inAppOwnershipType":"PURCHASED",\
            "purchaseDate":\(Self.bought.milliseconds),"originalPurchaseDate":\(Self.bought.milliseconds),\
            \(revocation)"environment":"Production","signedDate":\(signed.milliseconds)}
            """)
    }

    /// Apple's notification of the purchase.
    private func charge() throws -> [UInt8] {
        let transaction = String(decoding: try self.transaction(signed: Self.bought), as: UTF8.self)
        return try self.node.apple.sign(
            """
            {"notificationType":"ONE_TIME_CHARGE","notificationUUID":"00000900-0000-4000-8000-000000000001",\
            "version":"2.0","signedDate":\(Self.bought.milliseconds),"data":{"environment":"Production",\
            "bundleId":"com.example.app","appAppleId":1234567890,"signedTransactionInfo":"\(transaction)"}}
            """)
    }

    /// From now on Apple shows the purchase; until then it knows nothing of it.
    private func show(_ transaction: [UInt8], as id: String = Self.id) {
        let text = String(decoding: transaction, as: UTF8.self)
        self.apple.answers { request in
            switch request.path {
            case "/inApps/v1/transactions/\(id)": ScriptedApple.json(#"{"signedTransactionInfo":"\#(text)"}"#)
            case let path where path.contains("/notifications/"):
                ScriptedApple.json(#"{"notificationHistory":[],"hasMore":false}"#)
            default: ScriptedApple.notFound
            }
        }
    }

    private func snapshot(_ service: SubscriptionService) async throws -> SubscriptionSnapshot? {
        let stream = StreamReference(kind: .purchase, id: Self.id)
        return try await service.subscription(SubscriptionQuery(stream: stream)).snapshot
    }

    private func post(_ transaction: [UInt8], to service: SubscriptionService) async throws {
        _ = try await service.record(signedTransaction: transaction, signedRenewalInfo: nil)
    }

    private func settles(_ service: SubscriptionService, as state: LifecycleState) async {
        await eventually {
            self.node.clock.advance(to: self.node.clock.now + .seconds(1))
            let snapshot = try? await self.snapshot(service)
            return snapshot?.state == state && snapshot?.incomplete == false
                && (try? service.reconciliationReport().awaiting) == 0
        }
    }

    @Test(arguments: [true, false]) func aRefundThatAClientBringsCountsWhenAppleSaysSo(isTrue: Bool) async throws {
        let refund = try self.transaction(signed: Node.start - .days(1), refunded: Node.start - .days(1))
        try await self.node.run { service in
            // given
            _ = try await service.ingest(signedPayload: try self.charge())
            // when
            try await self.post(refund, to: service)
            // then: it counts for nothing yet
            let before = try await self.snapshot(service)
            #expect(before?.state == .owned)
            #expect(before?.incomplete == true)
            // and Apple decides
            self.show(try self.transaction(signed: Node.start, refunded: isTrue ? Node.start - .days(1) : nil))
            await self.settles(service, as: isTrue ? .revoked : .owned)
            let answered = try await self.snapshot(service)
            #expect(answered?.entitled == !isTrue)
            // A purchase has no status.
            #expect(self.apple.requests(to: "/subscriptions/").isEmpty)
        }
    }

    @Test func theDoubtIsFoundAgainAfterARestart() async throws {
        // given
        let refund = try self.transaction(signed: Node.start - .days(1), refunded: Node.start - .days(1))
        try await self.node.run { service in
            _ = try await service.ingest(signedPayload: try self.charge())
            try await self.post(refund, to: service)
        }
        // when
        self.show(try self.transaction(signed: Node.start, refunded: Node.start - .days(1)))
        // then
        try await self.node.run { service in await self.settles(service, as: .revoked) }
    }

    @Test func whatAClientBringsFirstIsAskedAbout() async throws {
        // given: the client has kept what was signed before the refund
        self.show(try self.transaction(signed: Node.start, refunded: Node.start - .days(1)))
        try await self.node.run { service in
            // when
            try await self.post(try self.transaction(signed: Self.bought), to: service)
            // then
            await self.settles(service, as: .revoked)
            let paths = self.apple.requests(to: "/v1/transactions/").map(\.path)
            #expect(paths == ["/inApps/v1/transactions/\(Self.id)"])
            // The history of its customer is not read for each of their purchases.
            #expect(self.apple.requests(to: "/history/").isEmpty)
        }
    }

    @Test func aRestoredPurchaseIsAskedAboutByTheTransactionThatIsKnown() async throws {
        // given: Apple shows the copy alone that the client restored, and has refunded it
        let restored = "901"
        self.show(
            try self.transaction(restored, signed: Node.start, refunded: Node.start - .days(1)), as: restored)
        try await self.node.run { service in
            // when
            try await self.post(try self.transaction(restored, signed: Self.bought), to: service)
            // then
            await self.settles(service, as: .revoked)
            let paths = self.apple.requests(to: "/v1/transactions/").map(\.path)
            #expect(paths == ["/inApps/v1/transactions/\(restored)"])
        }
    }
}
