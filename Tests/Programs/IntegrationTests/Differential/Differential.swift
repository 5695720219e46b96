import AppStoreSimulator
import EventLog
import Foundation
import InMemoryStore
import Subscriptions

/// Simulated customers against a real service: what it answers has to be what is true of them.
struct Differential: Sendable {
    var seed: UInt64
    var environment = AppStoreEnvironment.production
    var customers: Int
    /// The number of the first customer: a life that was told wrong can be told alone.
    var first = 0
    var disturbances = Disturbances(lose: 0.3, repeat: 0.3, delay: 0.5)
    /// Customers who share a service.
    var chunk = 150
    var makeStore: @Sendable () throws -> any EventStore = { InMemoryEventStore(shardCount: 16) }

    /// The simulation's, and two years later.
    static let start = Moment(milliseconds: 1_704_067_200_000)
    static let duration = Milliseconds.days(730)

    func run() async throws -> Findings {
        let factory = try LifecycleFactory(
            seed: self.seed, store: StoreIdentity(environment: self.environment), duration: Self.duration)
        var chunks = stride(from: self.first, to: self.first + self.customers, by: self.chunk).makeIterator()
        return try await withThrowingTaskGroup(of: Findings.self) { group in
            func startChunk() {
                guard let first = chunks.next() else { return }
                let indices = first..<min(first + self.chunk, self.first + self.customers)
                group.addTask { try await DifferentialRun.findings(of: indices, factory: factory, differential: self) }
            }
            for _ in 0..<ProcessInfo.processInfo.activeProcessorCount { startChunk() }
            var findings = Findings()
            while let part = try await group.next() {
                findings.add(part)
                startChunk()
            }
            return findings
        }
    }
}
