import AppStore
import ServiceContract
package import Subscriptions
import Synchronization

/// Counts what reconciliation finds, for the report.
package final class ReconciliationTally: Sendable {
    private static let exampleLimit = 20

    private struct Contents {
        var report: ReconciliationReport
        var accounts: [ServerAPIAccount: ReconciliationReport.Account] = [:]
        /// Whether those that the sweep compared last had differed, in turn.
        var samples: [Bool] = []

        mutating func recordSample(hasDiffered: Bool) {
            if self.samples.count == ReconciliationReport.Drift.limit { self.samples.removeFirst() }
            self.samples.append(hasDiffered)
            self.report.drift.sampled = self.samples.count
            self.report.drift.different = self.samples.count { $0 }
        }
    }

    private let contents: Mutex<Contents>

    init(node: String, accounts: [ServerAPIAccount], since: Moment) {
        let report = ReconciliationReport(
            node: node, since: since, asOf: since, checked: 0, equal: 0, repaired: 0, reasons: [:], kinds: [:],
            examples: [], lastSweep: nil, sweepUnderWay: nil, awaiting: 0, accounts: [])
        self.contents = Mutex(
            Contents(
                report: report,
                accounts: Dictionary(uniqueKeysWithValues: accounts.map { ($0, ReconciliationReport.Account($0)) })))
    }

    /// A subscription was compared with Apple's answer.
    /// - Parameter example: nil when there was no difference.
    func recordComparison(_ example: ReconciliationReport.Example?, for reason: AskReason) {
        self.contents.withLock { contents in
            contents.report.checked += 1
            if reason == .sweep { contents.recordSample(hasDiffered: example != nil) }
            guard let example else {
                contents.report.equal += 1
                return
            }
            contents.report.repaired += 1
            contents.report.reasons[example.reason, default: 0] += 1
            contents.report.kinds[example.kind, default: 0] += 1
            contents.report.examples.insert(example, at: 0)
            if contents.report.examples.count > Self.exampleLimit { contents.report.examples.removeLast() }
        }
    }

    func set(_ sweep: ReconciliationReport.Sweep) {
        self.contents.withLock { contents in
            if sweep.ended == nil {
                contents.report.sweepUnderWay = sweep
            } else {
                contents.report.lastSweep = sweep
                contents.report.sweepUnderWay = nil
            }
        }
    }

    func update(
        _ account: ServerAPIAccount, _ change: (inout sending ReconciliationReport.Account) -> Void
    ) {
        self.contents.withLock { contents in
            guard var entry = contents.accounts[account] else { return }
            change(&entry)
            contents.accounts[account] = entry
        }
    }

    func state(of account: ServerAPIAccount) -> ReconciliationReport.Account.State? {
        self.contents.withLock { $0.accounts[account]?.state }
    }

    package func report(asOf now: Moment, awaiting: Int) -> ReconciliationReport {
        self.contents.withLock { contents in
            var report = contents.report
            report.asOf = now
            report.awaiting = awaiting
            report.accounts = contents.accounts.values.sorted {
                ($0.account.bundleID.rawValue, $0.account.environment.rawValue)
                    < ($1.account.bundleID.rawValue, $1.account.environment.rawValue)
            }
            return report
        }
    }
}
