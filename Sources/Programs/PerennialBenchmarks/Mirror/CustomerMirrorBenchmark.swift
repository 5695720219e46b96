import Foundation
import Subscriptions

/// Checks by customer in process on a mirror, by one thread, of ids in random order.
struct CustomerMirrorBenchmark: Benchmark {
    static let name = "customer-mirror"
    static let abstract = "checks by customer a second on a mirror of 1,000,000, its memory, how fast it is filled"

    private static let million = 1_000_000
    private static let rounds = 7

    func run(in workspace: Workspace) async throws -> [Figure] {
        let checks = try await Supplies.onItsOwnThread { try Self.measureChecks() }
        return checks + [try await Supplies.onItsOwnThread { try Self.measureMemory() }]
    }

    private static func measureChecks() throws -> [Figure] {
        let filled = try FilledCustomers(customers: self.million, subscriptionsOfEach: 3, withGrants: true)
        let customers = (0..<self.million).shuffled().compactMap { CustomerID(FilledCustomers.id($0)) }
        let begun = ContinuousClock.now
        _ = try filled.askOneByOne(customers)
        let first = ContinuousClock.now - begun
        return [
            Figure(
                "rows of 1,000,000 customers taken over", Double(filled.rowCount) / filled.took.seconds, "1/s"),
            Figure(
                "checks by customer on a mirror, each the first of its customer", Double(self.million) / first.seconds,
                "1/s"),
            Figure(
                "single checks by customer on a mirror", try self.rate(customers, filled.askOneByOne), "1/s",
                goal: .valueAtLeast(700_000)),
            Figure(
                "batched checks by customer on a mirror",
                try self.rate(customers) { try filled.askInBatches($0, of: 1_000) }, "1/s",
                goal: .valueAtLeast(1_500_000)),
        ]
    }

    private static func measureMemory() throws -> Figure {
        let filled = try FilledCustomers(customers: self.million, subscriptionsOfEach: 1, withGrants: false)
        let entitlements = try FilledMirror(count: self.million)
        return Figure(
            "bytes of a mirrored subscription with a customer of its own",
            filled.bytesPerRow + entitlements.bytesPerSubscription, "bytes", goal: .valueAtMost(200))
    }

    /// - Parameter body: gives a sum, so that nothing is left out.
    private static func rate(_ customers: [CustomerID], _ body: ([CustomerID]) throws -> Int64) throws -> Double {
        var rates: [Double] = []
        for _ in 0..<self.rounds {
            let start = ContinuousClock.now
            let sum = try body(customers)
            rates.append(Double(customers.count) / (ContinuousClock.now - start).seconds)
            guard sum == Int64(customers.count) else { throw BenchmarkError("every customer is entitled") }
        }
        return rates.median()
    }
}
