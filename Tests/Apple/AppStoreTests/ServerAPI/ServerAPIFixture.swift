import AppStore
import Crypto
import Foundation
import Subscriptions
import Synchronization

/// One account, its key, and a client over a transport of the test's own.
struct ServerAPIFixture: Sendable {
    static let account = ServerAPIAccount(
        bundleID: BundleID(rawValue: "com.example.app"), appAppleID: 1_234_567_890, environment: .production)

    let key = P256.Signing.PrivateKey()
    let quick = QuickTime()
    let observer = RecordingObserver()
    let client: ServerAPIClient

    init(
        _ transport: any ServerAPITransport, account: ServerAPIAccount = Self.account,
        baseURL: String = "https://api.example.com", limits: [ServerAPIEndpoint: Double]? = nil,
        time: ServerAPITime? = nil, _ configure: (inout ServerAPIConfiguration) -> Void = { _ in }
    ) throws {
        var configuration = ServerAPIConfiguration()
        configure(&configuration)
        let quick = self.quick
        let time = time ?? quick.time
        let budget = RequestBudget(
            limits: limits ?? RequestBudget.appleLimits(in: account.environment), share: 1, time: time)
        self.client = try ServerAPIClient(
            account: account,
            credentials: ServerAPICredentials(
                keyID: "KEY1234567", issuerID: "57246542-96fe-1a63-e053-0824d011072a",
                privateKeyPEM: self.key.pemRepresentation),
            baseURL: baseURL, transport: transport, budget: budget, configuration: configuration,
            observer: self.observer, time: time, now: { quick.now })
    }

    /// What a call throws; nil when it succeeds.
    static func failure<Value>(_ call: () async throws(ServerAPIError) -> Value) async -> ServerAPIError? {
        do throws(ServerAPIError) {
            _ = try await call()
            return nil
        } catch {
            return error
        }
    }
}

final class RecordingObserver: ServerAPIObserver {
    private let state = Mutex<[String]>([])

    /// `endpoint code`, in order.
    var answers: [String] { self.state.withLock { $0 } }

    func answered(_ endpoint: ServerAPIEndpoint, code: String) {
        self.state.withLock { $0.append("\(endpoint.rawValue) \(code)") }
    }
}

extension ServerAPIRequest {
    func header(_ name: String) -> String? { self.headers.first { $0.name == name }?.value }

    var token: String? { self.header("Authorization").map { String($0.dropFirst("Bearer ".count)) } }

    var bodyText: String? { self.body.map { String(decoding: $0, as: UTF8.self) } }
}
