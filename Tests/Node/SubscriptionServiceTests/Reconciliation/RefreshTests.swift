import AppStore
import PerennialTestSupport
import Reconciliation
import ServiceContract
import Shards
import SubscriptionService
import Subscriptions
import Testing

/// `refresh` of an id that this system has never seen.
@Suite(.timeLimit(.minutes(5))) struct RefreshTests {
    private let stream = StreamReference(id: "1")

    /// A node that can ask in both environments.
    private func node(_ apple: ScriptedApple) throws -> Node {
        var node = try Node()
        node.configuration.serverAPI = [
            try apple.client(environment: .production), try apple.client(environment: .sandbox),
        ]
        node.configuration.sweepPause = .seconds(3_600)
        return node
    }

    /// Knows one subscription, in one environment.
    private func know(_ notification: TestNotification, _ apple: ScriptedApple, _ store: TestAppStore) {
        apple.answers { request in
            guard !request.path.contains("/notifications/") else { return ScriptedApple.json(#"{"hasMore":false}"#) }
            let isThere = request.baseURL.contains(notification.environment.rawValue.lowercased())
            guard isThere, request.path.hasSuffix("/1"), let jws = try? store.transaction(notification) else {
                return ScriptedApple.notFound
            }
            let transaction = String(decoding: jws, as: UTF8.self)
            if request.path.contains("/subscriptions/") {
                return (try? store.statuses(notification)) ?? ScriptedApple.notFound
            }
            return ScriptedApple.json(
                request.path.contains("/history/")
                    ? #"{"revision":"r1","hasMore":false,"signedTransactions":["\#(transaction)"]}"#
                    : #"{"signedTransactionInfo":"\#(transaction)"}"#)
        }
    }

    private func asked(_ environment: AppStoreEnvironment, _ apple: ScriptedApple) -> Int {
        apple.requests.count {
            $0.baseURL.contains(environment.rawValue.lowercased()) && !$0.path.contains("/notifications/")
        }
    }

    private func bought(in environment: AppStoreEnvironment) -> TestNotification {
        var life = TestSubscription(id: "1", from: Node.start - .days(1))
        var bought = life.subscribe()
        bought.environment = environment
        return bought
    }

    @Test func whatProductionKnowsIsRecordedAndSandboxIsNotAsked() async throws {
        // given
        let apple = ScriptedApple()
        let node = try self.node(apple)
        self.know(self.bought(in: .production), apple, node.apple)
        try await node.run { service in
            // when
            let view = try await service.refresh(self.stream, inEitherEnvironment: true)
            // then
            #expect(view.key.environment == .production)
            #expect(view.snapshot?.state == .subscribed)
            #expect(try await service.check("1")?.entitled == true)
            #expect(self.asked(.sandbox, apple) == 0)
            #expect(try service.reconciliationReport().kinds == [.unknownSubscription: 1])
        }
    }

    @Test func whatOnlySandboxKnowsIsRecordedThere() async throws {
        // given
        let apple = ScriptedApple()
        let node = try self.node(apple)
        self.know(self.bought(in: .sandbox), apple, node.apple)
        try await node.run { service in
            // when
            let view = try await service.refresh(self.stream, inEitherEnvironment: true)
            // then
            #expect(view.key.environment == .sandbox)
            #expect(view.snapshot?.state == .subscribed)
            #expect(self.asked(.production, apple) == 1)
            let unknown = await #expect(throws: ServiceError.self) { try await service.view("1") }
            #expect(unknown?.code == .unknownSubscription)
        }
    }

    @Test func whoNamesTheEnvironmentIsAnsweredFromIt() async throws {
        let apple = ScriptedApple()
        let node = try self.node(apple)
        self.know(self.bought(in: .sandbox), apple, node.apple)
        try await node.run { service in
            let error = await #expect(throws: ServiceError.self) { try await service.refresh(self.stream) }
            #expect(error?.code == .unknownSubscription)
            #expect(self.asked(.sandbox, apple) == 0)
            let sandbox = StreamReference(id: "1", environment: .sandbox)
            let view = try await service.refresh(sandbox)
            #expect(view.snapshot?.state == .subscribed)
            #expect(self.asked(.production, apple) == 1)
        }
    }

    @Test func whatNobodyKnowsIsUnknownAndTroubleIsTrouble() async throws {
        let apple = ScriptedApple()
        let node = try self.node(apple)
        try await node.run { service in
            let unknown = await #expect(throws: ServiceError.self) {
                try await service.refresh(self.stream, inEitherEnvironment: true)
            }
            #expect(unknown?.code == .unknownSubscription)
            #expect(self.asked(.sandbox, apple) == 1)
            // Trouble in Production says nothing of Sandbox.
            apple.answers { _ in ServerAPIAnswer(status: 500, body: Array(#"{"errorCode":5000000}"#.utf8)) }
            let trouble = await #expect(throws: ServiceError.self) {
                try await service.refresh(self.stream, inEitherEnvironment: true)
            }
            #expect(trouble?.code == .appStoreUnavailable)
            #expect(self.asked(.sandbox, apple) == 1)
        }
    }

    @Test func whatTheAnswerSaysOfOtherSubscriptionsIsRecordedWithThem() async throws {
        // given: two subscriptions of a customer, both refunded, of which nobody told
        let apple = ScriptedApple()
        let node = try self.node(apple)
        var lives = ["1", "2"].map { TestSubscription(id: $0, from: Node.start - .days(1)) }
        let payloads = try lives.indices.map { try node.apple.sign(lives[$0].subscribe()) }
        for index in lives.indices { lives[index].wait(.minutes(1)) }
        let refunds = lives.indices.map { lives[$0].refund() }
        apple.answers { [store = node.apple] request in
            guard request.path.hasSuffix("/subscriptions/1") else { return ScriptedApple.json(#"{"hasMore":false}"#) }
            return (try? store.statuses(refunds[0], refunds[1])) ?? ScriptedApple.notFound
        }
        try await node.run { service in
            for payload in payloads { _ = try await service.ingest(signedPayload: payload) }
            // when
            _ = try await service.refresh(self.stream)
            // then
            #expect(try await service.view("1").snapshot?.state == .revoked)
            #expect(try await service.view("2").snapshot?.state == .revoked)
            #expect(apple.requests(to: "/subscriptions/").map(\.path) == ["/inApps/v1/subscriptions/1"])
        }
    }

    @Test func anAppHasOneClientInAnEnvironment() throws {
        let apple = ScriptedApple()
        var node = try self.node(apple)
        node.configuration.serverAPI.append(try apple.client())
        #expect(throws: ServiceError.self) { try node.service() }
    }
}
