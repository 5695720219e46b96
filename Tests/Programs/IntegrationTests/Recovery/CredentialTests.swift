import AppStore
import AppStoreSimulator
import CoreMetrics
import Crypto
import HTTPAPI
import InMemoryStore
import PerennialTestSupport
import PrometheusMetrics
import Reconciliation
import ServiceContract
import SubscriptionService
import Subscriptions
import Testing

/// A node whom the store does not let in: it says so once, and takes what is pushed.
@Suite(.serialized, .timeLimit(.minutes(5))) struct CredentialTests {
    enum Fault: String, CaseIterable, CustomTestStringConvertible {
        case unknownKeyID, revokedKey, clockAhead, clockBehind, unknownBundle

        var testDescription: String { self.rawValue }

        /// What the line in the log tells people to look at.
        var clue: String {
            switch self {
            case .unknownKeyID: "keyId"
            case .revokedKey: "revoked"
            case .clockAhead, .clockBehind: "clock"
            case .unknownBundle: "bundle id"
            }
        }

        func spoiled(_ access: SimulatedApple.Access) -> SimulatedApple.Access {
            var access = access
            switch self {
            case .unknownKeyID: access.keyID = "0000000000"
            case .revokedKey: access.privateKeyPEM = P256.Signing.PrivateKey().pemRepresentation
            case .clockAhead: access.clockError = .hours(1)
            case .clockBehind: access.clockError = .hours(-1)
            case .unknownBundle: access.account.bundleID = BundleID(rawValue: "com.example.typo")
            }
            return access
        }
    }

    @Test("each fault is one readable line and a metric, and ingest goes on", arguments: Fault.allCases)
    func saysOnceWhatToCheck(_ fault: Fault) async throws {
        try await self.run { apple, payload in
            // given
            let access = fault.spoiled(try apple.access)
            let lines = LogLines()
            let registry = PrometheusRegistry()
            let service = try apple.service(
                InMemoryEventStore(shardCount: 16), asking: try apple.client(access), logger: lines.logger)
            try await withMetricsFactory(registry) {
                try await Self.run(service) {
                    // when: it has been refused twice, each time with two tokens
                    while apple.requests.counts.statuses[401, default: 0] < 4 {
                        try await Task.sleep(for: .milliseconds(20))
                    }
                    while try service.reconciliationReport().accounts[0].state != .unauthorized || lines.errors.isEmpty
                        || Self.usable(access.account, registry) == nil
                    {
                        try await Task.sleep(for: .milliseconds(20))
                    }
                    // then
                    #expect(lines.errors.count == 1, "\(lines.errors)")
                    let line = try #require(lines.errors.first)
                    #expect(line.contains("Apple refuses the credentials"))
                    #expect(line.contains(fault.clue))
                    #expect(line.contains("app.bundle=\(access.account.bundleID.rawValue)"))
                    #expect(!line.contains("\n"))
                    #expect(Self.usable(access.account, registry) == "0")
                    // and what is pushed is taken
                    guard case .recorded = try await service.ingest(signedPayload: payload) else {
                        Issue.record("the notification was not recorded")
                        return
                    }
                }
            }
            // and no line has the key, or a token made with it
            let key = access.privateKeyPEM.split(separator: "\n").dropFirst().dropLast().map(String.init)
            for secret in key + ["Bearer", "eyJ"] { #expect(!lines.all.contains { $0.contains(secret) }) }
        }
    }

    @Test("who is let in has no line, and the metric says so")
    func saysThatItIsUsable() async throws {
        try await self.run { apple, _ in
            let lines = LogLines()
            let registry = PrometheusRegistry()
            let service = try apple.service(InMemoryEventStore(shardCount: 16), logger: lines.logger)
            try await withMetricsFactory(registry) {
                try await Self.run(service) {
                    while Self.usable(apple.account, registry) == nil { try await Task.sleep(for: .milliseconds(20)) }
                    #expect(Self.usable(apple.account, registry) == "1")
                    #expect(lines.errors.isEmpty, "\(lines.errors)")
                }
            }
        }
    }

    // MARK: A store, and a node

    /// - Parameter body: gets the store, and a notification that it has signed.
    private func run(_ body: @Sendable (SimulatedApple, [UInt8]) async throws -> Void) async throws {
        let directory = try TemporaryDirectory()
        var configuration = SimulatorConfiguration(keysDirectory: directory.file("apple"))
        configuration.subscribers = 20
        configuration.speed = 1e9
        configuration.deliverTo = ["http://127.0.0.1:9/notifications"]
        try await SimulatedApple.run(configuration) { apple in
            let client = try apple.client()
            var sent: SentNotification?
            while sent == nil {
                try await Task.sleep(for: .milliseconds(50))
                let now = SimulatedTime.realNow()
                let query = NotificationHistoryQuery(startDate: now - .days(169), endDate: now)
                sent = try await client.notificationHistory(query).items.first
            }
            try await body(apple, Array(try #require(sent).signedPayload.jws))
        }
    }

    private static func run(
        _ service: SubscriptionService, _ body: @Sendable () async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await service.run() }
            while !service.readiness(for: .ingest).ready { try await Task.sleep(for: .milliseconds(10)) }
            defer { group.cancelAll() }
            try await body()
        }
    }

    /// What the page for Prometheus says of an account; nil while it says nothing.
    private static func usable(_ account: ServerAPIAccount, _ registry: PrometheusRegistry) -> String? {
        let series =
            #"perennial_apple_api_usable{app="\#(account.bundleID.rawValue)","#
            + #"environment="\#(account.environment.rawValue)"} "#
        return PrometheusPage(registry).text.split(separator: "\n").first { $0.hasPrefix(series) }
            .map { String($0.dropFirst(series.count)) }
    }
}
