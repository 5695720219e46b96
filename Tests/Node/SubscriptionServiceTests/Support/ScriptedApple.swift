import AppStore
import Crypto
import Subscriptions
import Synchronization

/// Apple's Server API as a test wants it: answers each request by what the test says.
final class ScriptedApple: ServerAPITransport {
    typealias Script = @Sendable (ServerAPIRequest) async throws(ServerAPIError) -> ServerAPIAnswer

    private let script: Mutex<Script>
    private let log = Mutex<[ServerAPIRequest]>([])

    init(_ script: @escaping Script = { _ in ScriptedApple.notFound }) { self.script = Mutex(script) }

    /// From now on.
    func answers(_ script: @escaping Script) { self.script.withLock { $0 = script } }

    var requests: [ServerAPIRequest] { self.log.withLock { $0 } }

    func requests(to part: String) -> [ServerAPIRequest] { self.requests.filter { $0.path.contains(part) } }

    func send(_ request: ServerAPIRequest, timeout: Duration) async throws(ServerAPIError) -> ServerAPIAnswer {
        self.log.withLock { $0.append(request) }
        return try await self.script.withLock { $0 }(request)
    }

    static let notFound = ServerAPIAnswer(
        status: 404, body: Array(#"{"errorCode":4040010,"errorMessage":"Transaction id not found."}"#.utf8))

    static func json(_ text: String) -> ServerAPIAnswer { ServerAPIAnswer(status: 200, body: Array(text.utf8)) }

    /// A client of one app that asks this; its base URL names the environment.
    func client(
        bundle: BundleID = TestAppStore.bundles[0], environment: AppStoreEnvironment = .production
    ) throws -> ServerAPIClient {
        var configuration = ServerAPIConfiguration()
        configuration.firstPause = .milliseconds(1)
        return try ServerAPIClient(
            account: ServerAPIAccount(bundleID: bundle, appAppleID: 1_234_567_890, environment: environment),
            credentials: ServerAPICredentials(
                keyID: "ABCDEFGHIJ", issuerID: "57246542-96fe-1a63-e053-0824d011072a",
                privateKeyPEM: P256.Signing.PrivateKey().pemRepresentation),
            baseURL: "http://\(environment.rawValue.lowercased()).example", transport: self,
            budget: RequestBudget(limits: RequestBudget.appleLimits(in: environment), share: 1),
            configuration: configuration,
            now: { Node.start })
    }
}

extension TestAppStore {
    /// The statuses answer about subscriptions of one customer; mostly there is one.
    func statuses(_ notifications: TestNotification..., status: Int? = nil) throws -> ServerAPIAnswer {
        let items = try notifications.compactMap { notification in
            try notification.period.map { period in
                let transaction = String(decoding: try self.transaction(notification), as: UTF8.self)
                let renewal = String(decoding: try self.sign(period.renewalJSON(notification)), as: UTF8.self)
                return """
                    {"originalTransactionId":"\(notification.id)","status":\(status ?? period.status),\
                    "signedTransactionInfo":"\(transaction)","signedRenewalInfo":"\(renewal)"}
                    """
            }
        }
        return ScriptedApple.json(
            """
            {"environment":"\(notifications[0].environment.rawValue)",\
            "bundleId":"\(notifications[0].bundle.rawValue)","appAppleId":1234567890,\
            "data":[{"subscriptionGroupIdentifier":"21","lastTransactions":[\(items.joined(separator: ","))]}]}
            """)
    }

    /// One page of the notification history, and no more.
    func history(_ notifications: [TestNotification], result: String = "SOCKET_ISSUE") throws -> ServerAPIAnswer {
        let items = try notifications.map { notification in
            let payload = String(decoding: try self.sign(notification), as: UTF8.self)
            return """
                {"signedPayload":"\(payload)","sendAttempts":[{"attemptDate":\(notification.signed.milliseconds),\
                "sendAttemptResult":"\(result)"}]}
                """
        }
        return ScriptedApple.json(
            #"{"notificationHistory":[\#(items.joined(separator: ","))],"hasMore":false}"#)
    }
}
