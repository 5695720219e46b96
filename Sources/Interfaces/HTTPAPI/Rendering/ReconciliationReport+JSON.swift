import AppStore
import Reconciliation
import ServiceContract
import StrictJSON
import Subscriptions

extension ReconciliationReport {
    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("node", self.node)
            json.member("since", self.since)
            json.member("asOf", self.asOf)
            json.member("checked", Int64(self.checked))
            json.member("equal", Int64(self.equal))
            json.member("repaired", Int64(self.repaired))
            json.member("reasons", counts: self.reasons.map { ($0.rawValue, $1) })
            json.member("kinds", counts: self.kinds.map { ($0.rawValue, $1) })
            json.member("examples") { json in
                json.array { json in
                    for example in self.examples { example.write(to: &json) }
                }
            }
            json.member("drift") { json in
                json.object { json in
                    json.member("sampled", Int64(self.drift.sampled))
                    json.member("different", Int64(self.drift.different))
                }
            }
            json.member("lastSweep") { Self.write(self.lastSweep, to: &$0) }
            json.member("sweepUnderWay") { Self.write(self.sweepUnderWay, to: &$0) }
            json.member("awaiting", Int64(self.awaiting))
            json.member("accounts") { json in
                json.array { json in
                    for account in self.accounts { account.write(to: &json) }
                }
            }
        }
    }

    private static func write(_ sweep: Sweep?, to json: inout JSONWriter) {
        guard let sweep else { return json.null() }
        json.object { json in
            json.member("checked", Int64(sweep.checked))
            json.member("repaired", Int64(sweep.repaired))
            json.member("started", sweep.started)
            json.member("ended", sweep.ended)
        }
    }
}

extension ReconciliationReport.Example {
    fileprivate func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("originalTransactionId", self.key.id)
            json.member("environment", self.key.environment.rawValue)
            json.member("bundleId", self.key.bundleID.rawValue)
            json.member("reason", self.reason.rawValue)
            json.member("kind", self.kind.rawValue)
            json.member("before", self.before?.rawValue)
            json.member("after", self.after.rawValue)
            json.member("at", self.at)
        }
    }
}

extension ReconciliationReport.Account {
    fileprivate func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("bundleId", self.account.bundleID.rawValue)
            json.member("environment", self.account.environment.rawValue)
            json.member("state", self.state.rawValue)
            json.member("coveredUntil", self.coveredUntil)
            json.member("lastError", self.lastError)
            json.member("failedDeliveries", counts: Array(self.failedDeliveries))
            // Whole requests: a part of one cannot be sent.
            json.member("budget", counts: self.budget.map { ($0.rawValue, Int($1)) })
        }
    }
}

extension JSONWriter {
    fileprivate mutating func member(_ key: String, counts: [(key: String, value: Int)]) {
        self.member(key) { json in
            json.object { json in
                for (name, count) in counts.sorted(by: { $0.key < $1.key }) { json.member(name, Int64(count)) }
            }
        }
    }
}
