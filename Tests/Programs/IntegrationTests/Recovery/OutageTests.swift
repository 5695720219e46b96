import AppStore
import AppStoreSimulator
import EventLog
import Foundation
import PerennialTestSupport
import Reconciliation
import SQLiteStore
import ServiceContract
import SubscriptionService
import Subscriptions
import Testing

/// No node is there while months pass; then one starts.
@Suite(.serialized, .timeLimit(.minutes(20))) struct OutageTests {
    @Test func afterAnOutageEveryStateIsApplesAndNothingIsThereTwice() async throws {
        // given: customers who live half a year, and nobody who listens
        let directory = try TemporaryDirectory()
        var configuration = SimulatorConfiguration(keysDirectory: directory.file("apple"))
        configuration.subscribers = 2_800
        configuration.speed = 1e9
        configuration.limits = 1
        configuration.deliverTo = ["http://127.0.0.1:9/notifications"]
        try await SimulatedApple.run(configuration) { apple in
            let store = try Self.store(in: directory)
            // A node was there until just before.
            let start = apple.simulator.time.start
            try await store.setBookmarks([
                Coverage.name(of: apple.account.bundleID, apple.account.environment): Coverage(
                    until: start, failuresUntil: start
                ).bytes
            ])
            let told = try await apple.toldUpToThePresent()
            // Customers live on while the node catches up.
            let moment = apple.simulator.truths.settled
            let truths = try #require(apple.simulator.truths.truths(after: nil, limit: .max)).truths
            #expect(told.givenUp >= 10_000)
            #expect(told.delivered == 0)
            // when
            let started = ContinuousClock.now
            try await Self.run(try apple.service(store)) { service in
                while try service.reconciliationReport().accounts[0].state != .covered {
                    try await Task.sleep(for: .milliseconds(100))
                }
                // then
                apple.expectRequestsWithinLimits(since: started)
                let report = try service.reconciliationReport()
                #expect(report.accounts[0].failedDeliveries.values.reduce(0, +) >= told.attempted)
                let wrong = try await Self.differences(of: service, from: truths, at: moment)
                #expect(wrong.isEmpty, "\(wrong.prefix(5))")
                var audit = LogAudit()
                try await audit.read(service)
                #expect(audit.recorded.count >= told.attempted)
                #expect(audit.repeated.isEmpty)
            }
            try store.close()
        }
    }

    private static func store(in directory: TemporaryDirectory) throws -> SQLiteEventStore {
        try SQLiteEventStore(configuration: SQLiteConfiguration(path: directory.file("store.db")))
    }

    private static func run(
        _ service: SubscriptionService, _ body: @Sendable (SubscriptionService) async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await service.run() }
            while !service.readiness(for: .ingest).ready { try await Task.sleep(for: .milliseconds(10)) }
            let result: Result<Void, any Error>
            do { result = .success(try await body(service)) } catch { result = .failure(error) }
            group.cancelAll()
            try? await group.waitForAll()
            try result.get()
        }
    }

    /// What the service says of everything that was sold, where it is something else.
    private static func differences(
        of service: SubscriptionService, from truths: [Truth], at moment: Moment
    ) async throws -> [String] {
        var differences: [String] = []
        for truth in truths {
            guard let standing = truth.standing(at: moment) else { continue }
            let kind: StreamKind = standing.expiresDate == nil ? .purchase : .subscription
            let stream = StreamReference(kind: kind, id: truth.originalTransactionID)
            let view = try? await service.subscription(SubscriptionQuery(stream: stream, at: moment))
            let found = Answer(view?.snapshot).differences(from: Answer(truth, at: moment))
            if !found.isEmpty { differences.append("\(truth.originalTransactionID): \(found)") }
        }
        return differences
    }
}
