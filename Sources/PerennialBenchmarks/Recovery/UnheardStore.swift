import AppStore
import AppStoreSimulator
import AsyncHTTPClient
import Entitlements
import EventSourcing
import Foundation
import Hummingbird
import Logging
import SubscriptionRuntime
import Subscriptions

/// A simulated App Store that delivers to somebody else. Whoever wants to know what it has sent has to ask it.
struct UnheardStore: Sendable {
    private static let quiet = Logger(label: "benchmark") { _ in SwiftLogNoOpLogHandler() }

    private static let past = Milliseconds.days(60)

    let simulator: AppStoreSimulator
    let requests = CountedRequests(HTTPServerAPITransport(client: .shared))
    private let baseURL: String

    /// Runs it for as long as `body` takes, in a folder of its own.
    static func run<Value: Sendable>(
        subscribers: Int, in folder: String, _ body: @escaping @Sendable (UnheardStore) async throws -> Value
    ) async throws -> Value {
        try await Self.receiving { port in
            var configuration = SimulatorConfiguration(keysDirectory: folder)
            configuration.subscribers = subscribers
            configuration.past = Self.past
            configuration.speed = 1e9
            configuration.deliverTo = "http://127.0.0.1:\(port)/"
            let (ports, running) = AsyncStream.makeStream(of: Int.self)
            let simulator = try AppStoreSimulator(configuration, logger: Self.quiet) { running.yield($0) }
            return try await Self.during({ try await simulator.run() }) {
                let port = await ports.first { _ in true } ?? 0
                return try await body(UnheardStore(simulator: simulator, baseURL: "http://127.0.0.1:\(port)"))
            }
        }
    }

    private init(simulator: AppStoreSimulator, baseURL: String) {
        self.simulator = simulator
        self.baseURL = baseURL
    }

    /// Somebody who takes everything.
    private static func receiving<Value: Sendable>(
        _ body: @escaping @Sendable (Int) async throws -> Value
    ) async throws -> Value {
        let router = Router()
        router.post("/") { request, _ in
            _ = try await request.body.collect(upTo: 1 << 20)
            return HTTPResponse.Status.ok
        }
        let (ports, running) = AsyncStream.makeStream(of: Int.self)
        let application = Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { running.yield($0.localAddress?.port ?? 0) }, logger: Self.quiet)
        return try await Self.during({ try await application.run() }) {
            try await body(await ports.first { _ in true } ?? 0)
        }
    }

    static func during<Value: Sendable>(
        _ service: @escaping @Sendable () async throws -> Void, _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await service() }
            defer { group.cancelAll() }
            return try await body()
        }
    }

    var account: ServerAPIAccount {
        let store = self.simulator.configuration.store
        return ServerAPIAccount(
            bundleID: BundleID(rawValue: store.bundleID), appAppleID: store.appAppleID, environment: store.environment)
    }

    /// Without limits.
    func client() throws -> ServerAPIClient {
        let keys = self.simulator.directory.keys
        let limits = Dictionary(uniqueKeysWithValues: ServerAPIEndpoint.allCases.map { ($0, 1e6) })
        return try ServerAPIClient(
            account: self.account,
            credentials: ServerAPICredentials(
                keyID: keys.keyID, issuerID: keys.issuerID, privateKeyPEM: keys.clientKeyPEM()),
            baseURL: self.baseURL, transport: self.requests, budget: RequestBudget(limits: limits, share: 1),
            now: { SimulatedTime.realNow() })
    }

    /// One that knows what `store` holds, and asks for what it does not.
    func service(on store: any EventStore, clock: any WallClock) throws -> SubscriptionService {
        let identity = self.simulator.configuration.store
        let apps = try AppDirectory([
            AppIdentity(
                bundleID: self.account.bundleID, appAppleID: identity.appAppleID, environments: [identity.environment],
                roots: [TrustedRoot(self.simulator.directory.keys.rootCertificate)])
        ])
        let verifier = PayloadVerifier(apps: apps)
        var configuration = RuntimeConfiguration()
        configuration.sweepPause = .seconds(3_600)
        configuration.serverAPI = [try self.client()]
        return try SubscriptionService(
            store: store, configuration: configuration, clock: clock,
            notifications: NotificationReader(verifier: verifier, apps: apps),
            transactions: TransactionReader(verifier: verifier, apps: apps), verification: VerificationPool(),
            catalog: Catalog(), logger: Self.quiet)
    }

    /// Everything that was sold, against what a service says of it.
    func differences(from service: SubscriptionService) async throws -> [String] {
        let moment = self.simulator.truths.settled
        var differences: [String] = []
        var last: String?
        while let (truths, isLast) = self.simulator.truths.truths(after: last, limit: 1_000), !truths.isEmpty {
            for truth in truths {
                guard let standing = truth.standing(at: moment) else { continue }
                let kind: StreamKind = standing.expiresDate == nil ? .purchase : .subscription
                let stream = StreamReference(kind: kind, id: truth.originalTransactionID)
                let view = try? await service.subscription(SubscriptionQuery(stream: stream, at: moment))
                let state = view?.snapshot?.state.rawValue
                guard state != standing.state.rawValue else { continue }
                differences.append("\(truth.originalTransactionID): \(standing.state) is \(state ?? "unknown")")
            }
            guard !isLast else { break }
            last = truths.last?.originalTransactionID
        }
        return differences
    }
}
