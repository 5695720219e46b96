import AppStore
import Crypto
import Subscriptions
import Synchronization

/// Apple's Server API as a test wants it: a status and a body for the start of a path.
final class ScriptedApple: ServerAPITransport {
    struct Answer: Sendable {
        var status = 200
        var body: String
    }

    private let answers: Mutex<[String: Answer]>
    private let log = Mutex<[ServerAPIRequest]>([])

    /// - Parameter answers: by the method and the start of the path after `/inApps`; all else is not found.
    init(_ answers: [String: Answer] = [:]) { self.answers = Mutex(answers) }

    /// Those whose path holds a part.
    func requests(to part: String) -> [ServerAPIRequest] {
        self.log.withLock { $0.filter { $0.path.contains(part) } }
    }

    func send(_ request: ServerAPIRequest, timeout: Duration) async throws(ServerAPIError) -> ServerAPIAnswer {
        self.log.withLock { $0.append(request) }
        let name = "\(request.method.rawValue) \(request.path.dropFirst("/inApps".count))"
        let answer = self.answers.withLock { $0.first { name.hasPrefix($0.key) }?.value } ?? Self.notFound
        return ServerAPIAnswer(status: answer.status, body: Array(answer.body.utf8))
    }

    private static let notFound = Answer(
        status: 404, body: #"{"errorCode":4040010,"errorMessage":"Transaction id not found."}"#)

    /// Asks it about the first app in Production.
    func client() throws -> ServerAPIClient {
        var configuration = ServerAPIConfiguration()
        configuration.attempts = 1
        return try ServerAPIClient(
            account: ServerAPIAccount(
                bundleID: BundleID(rawValue: TestStore.apps[0]), appAppleID: TestStore.appAppleID,
                environment: .production),
            credentials: ServerAPICredentials(
                keyID: "K1", issuerID: "I1", privateKeyPEM: P256.Signing.PrivateKey().pemRepresentation),
            baseURL: "http://apple.example", transport: self,
            budget: RequestBudget(limits: RequestBudget.appleLimits(in: .production), share: 1),
            configuration: configuration, now: { Moment.now })
    }
}
