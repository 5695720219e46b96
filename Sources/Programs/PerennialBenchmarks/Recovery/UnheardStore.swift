import AppStore
import AppStoreSimulator
import AsyncHTTPClient
import Entitlements
import EventLog
import Foundation
import Hummingbird
import Logging
import ServiceContract
import Shards
import SubscriptionService
import Subscriptions

/// A simulated App Store that delivers to somebody else, until its recipient becomes a node. Whoever wants to know what it
/// has sent before has to ask it.
struct UnheardStore: Sendable {
    private static let quiet = Logger(label: "benchmark") { _ in SwiftLogNoOpLogHandler() }

    private static let past = Milliseconds.days(60)
    /// Simulated seconds in a real one once the present is reached.
    private static let pace = 20.0

    let simulator: AppStoreSimulator
    let recipient: Recipient
    let requests = CountedRequests(HTTPServerAPITransport(client: .shared))
    private let baseURL: String

    /// Runs it for as long as `body` takes, in a folder of its own.
    static func run<Value: Sendable>(
        subscribers: Int, in folder: String, _ body: @escaping @Sendable (UnheardStore) async throws -> Value
    ) async throws -> Value {
        let recipient = Recipient()
        return try await Self.receiving(recipient) { port in
            var configuration = SimulatorConfiguration(keysDirectory: folder)
            configuration.subscribers = subscribers
            configuration.past = Self.past
            configuration.speed = 1e9
            configuration.horizon = .presentThen(speed: Self.pace)
            configuration.deliverTo = ["http://127.0.0.1:\(port)/"]
            let (ports, running) = AsyncStream.makeStream(of: Int.self)
            let simulator = try AppStoreSimulator(configuration, logger: Self.quiet) { running.yield($0) }
            return try await Self.during({ try await simulator.run() }) {
                let port = await ports.first { _ in true } ?? 0
                return try await body(
                    UnheardStore(
                        simulator: simulator, recipient: recipient, baseURL: "http://127.0.0.1:\(port)"))
            }
        }
    }

    private init(simulator: AppStoreSimulator, recipient: Recipient, baseURL: String) {
        self.simulator = simulator
        self.recipient = recipient
        self.baseURL = baseURL
    }

    private static func receiving<Value: Sendable>(
        _ recipient: Recipient, _ body: @escaping @Sendable (Int) async throws -> Value
    ) async throws -> Value {
        let router = Router()
        router.post("/") { request, _ in
            await recipient.take(Array(buffer: try await request.body.collect(upTo: 1 << 20)))
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

    /// How many subscriptions have been sold.
    var subscriptions: Int {
        let truths = self.simulator.truths
        return truths.ids(first: .max).count { truths.truth(of: $0)?.standing(at: .distantFuture)?.expiresDate != nil }
    }

    /// What was sold, everything unless `ids` are given, against what a service answers, as of the newest moment whose
    /// truth is final: what is different, by id.
    func differences(from service: SubscriptionService, among ids: [String]? = nil) async throws -> [String: String] {
        let truths = self.simulator.truths
        let moment = truths.settled
        let leeway = DerivationRules().leeway(in: self.account.environment)
        var differences: [String: String] = [:]
        for id in ids ?? truths.ids(first: .max) {
            guard let standing = truths.truth(of: id)?.standing(at: moment) else { continue }
            let kind: StreamKind = standing.expiresDate == nil ? .purchase : .subscription
            let query = SubscriptionQuery(stream: StreamReference(kind: kind, id: id), at: moment)
            let snapshot = try? await service.subscription(query).snapshot
            // Looked up again: what has become known meanwhile counts on both sides.
            guard let truth = truths.truth(of: id) else { continue }
            let (answer, right) = (
                EntitlementAnswer(snapshot),
                EntitlementAnswer(truth, at: moment, leeway: leeway, commitmentEnd: snapshot?.commitment?.expiresDate)
            )
            if answer != right { differences[id] = "\(answer) instead of \(right)" }
        }
        return differences
    }
}
