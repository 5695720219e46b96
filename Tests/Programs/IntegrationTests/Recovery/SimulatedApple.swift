import AppStore
import AppStoreSimulator
import AsyncHTTPClient
import Entitlements
import EventLog
import Foundation
import Logging
import PerennialTestSupport
import SQLiteStore
import Shards
import SubscriptionService
import Subscriptions
import Synchronization
import Testing

/// A simulated App Store with its Server API, and services that live by its clock and ask it.
struct SimulatedApple: Sendable {
    let simulator: AppStoreSimulator
    let baseURL: String
    let requests = CountingTransport(HTTPServerAPITransport(client: .shared))

    /// Runs the store for as long as `body` takes.
    static func run<Value: Sendable>(
        _ configuration: SimulatorConfiguration, _ body: @Sendable (SimulatedApple) async throws -> Value
    ) async throws -> Value {
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        let simulator = try AppStoreSimulator(
            configuration, logger: Logger(label: "apple") { _ in SwiftLogNoOpLogHandler() }
        ) {
            port.yield($0)
        }
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await simulator.run() }
            defer { group.cancelAll() }
            var iterator = ports.makeAsyncIterator()
            let number = await iterator.next() ?? 0
            return try await body(SimulatedApple(simulator: simulator, baseURL: "http://127.0.0.1:\(number)"))
        }
    }

    /// Waits for the present. What was entered may be signed, and so attempted and in the history, only seconds later.
    func toldUpToThePresent() async throws -> SimulatorStatistics {
        while true {
            let told = self.simulator.statistics
            if self.simulator.truths.settled >= SimulatedTime.realNow() - .minutes(1), !told.isBehind { return told }
            try await Task.sleep(for: .milliseconds(200))
        }
    }

    private var app: AppIdentity {
        get throws {
            let store = self.simulator.configuration.store
            return try AppIdentity(
                bundleID: BundleID(rawValue: store.bundleID), appAppleID: store.appAppleID,
                environments: [store.environment], roots: [TrustedRoot(self.simulator.directory.keys.rootCertificate)])
        }
    }

    var account: ServerAPIAccount {
        let store = self.simulator.configuration.store
        return ServerAPIAccount(
            bundleID: BundleID(rawValue: store.bundleID), appAppleID: store.appAppleID, environment: store.environment)
    }

    /// What a client shows to Apple: by itself the right things.
    struct Access {
        var account: ServerAPIAccount
        var keyID: String
        var issuerID: String
        var privateKeyPEM: String
        /// How far the clock is ahead by which tokens are signed.
        var clockError = Milliseconds(rawValue: 0)
    }

    var access: Access {
        get throws {
            let keys = self.simulator.directory.keys
            return Access(
                account: self.account, keyID: keys.keyID, issuerID: keys.issuerID,
                privateKeyPEM: try keys.clientKeyPEM())
        }
    }

    /// Keeps to Apple's own limits.
    func client(_ access: Access? = nil) throws -> ServerAPIClient {
        let access = try access ?? self.access
        let clock = SystemClock()
        return try ServerAPIClient(
            account: access.account,
            credentials: ServerAPICredentials(
                keyID: access.keyID, issuerID: access.issuerID, privateKeyPEM: access.privateKeyPEM),
            baseURL: self.baseURL, transport: self.requests,
            budget: RequestBudget(limits: RequestBudget.appleLimits(in: self.account.environment), share: 1),
            now: { clock.now + access.clockError })
    }

    /// - Parameter client: whom it asks; one with the right credentials unless given.
    func service(
        _ store: any EventStore, asking client: ServerAPIClient? = nil,
        logger: Logger = Logger(label: "node") { _ in SwiftLogNoOpLogHandler() }
    ) throws -> SubscriptionService {
        let apps = try AppDirectory([self.app])
        let verifier = PayloadVerifier(apps: apps)
        var configuration = RuntimeConfiguration()
        configuration.sweepPause = .seconds(3_600)
        configuration.serverAPI = [try client ?? self.client()]
        return try SubscriptionService(
            store: store, configuration: configuration, clock: SimulationClock(time: self.simulator.time),
            notifications: NotificationReader(verifier: verifier, apps: apps),
            transactions: TransactionReader(verifier: verifier, apps: apps), verification: VerificationPool(),
            catalog: Catalog(), logger: logger)
    }
}

extension SimulatedApple {
    /// Of one client that has begun to ask then.
    func expectRequestsWithinLimits(since start: ContinuousClock.Instant) {
        let counts = self.requests.counts
        #expect(counts.statuses[429] == nil)
        let limits = RequestBudget.appleLimits(in: self.account.environment)
        let seconds = start.duration(to: .now) / .seconds(1)
        for (endpoint, resource) in [
            (ServerAPIEndpoint.notificationHistory, "notifications"), (.statuses, "subscriptions"),
        ] {
            let limit = limits[endpoint] ?? 0
            // Two seconds' worth may go at once.
            #expect(Double(counts.resources[resource] ?? 0) <= limit * (seconds + 2))
        }
    }
}

/// The clock of a simulation.
struct SimulationClock: WallClock {
    let time: SimulatedTime

    var now: Moment { self.time.now }

    var offset: Milliseconds { Milliseconds(rawValue: 0) }

    func sleep(until moment: Moment) async throws {
        try await Task.sleep(for: min(self.time.realDuration(until: moment), .seconds(30)))
    }
}

/// Counts requests by what they are about, and answers by status.
final class CountingTransport: ServerAPITransport {
    struct Counts: Sendable {
        var requests = 0
        /// By the word after the version in their paths.
        var resources: [String: Int] = [:]
        var statuses: [Int: Int] = [:]
    }

    private let inner: any ServerAPITransport
    private let contents = Mutex(Counts())

    init(_ inner: any ServerAPITransport) { self.inner = inner }

    var counts: Counts { self.contents.withLock { $0 } }

    func send(_ request: ServerAPIRequest, timeout: Duration) async throws(ServerAPIError) -> ServerAPIAnswer {
        let words = request.path.split(separator: "/")
        self.contents.withLock { counts in
            counts.requests += 1
            if words.count > 2 { counts.resources[String(words[2]), default: 0] += 1 }
        }
        let answer = try await self.inner.send(request, timeout: timeout)
        self.contents.withLock { $0.statuses[answer.status, default: 0] += 1 }
        return answer
    }
}
