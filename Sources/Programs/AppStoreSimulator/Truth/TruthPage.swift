import StrictJSON
import Subscriptions

/// Some of what was sold, as JSON.
struct TruthPage {
    let truths: [Truth]
    let isLast: Bool
    /// Truths up to this moment are final.
    let now: Moment
    let store: StoreIdentity

    var json: [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("truths") { json in
                json.array { json in for truth in self.truths { self.write(truth, to: &json) } }
            }
            json.member("next", self.isLast ? nil : self.truths.last?.originalTransactionID)
            json.member("now", self.now.description)
            json.member("environment", self.store.environment.rawValue)
            json.member("bundleId", self.store.bundleID)
        }
        return json.bytes
    }

    private func write(_ truth: Truth, to json: inout JSONWriter) {
        guard let first = truth.changes.first else { return }
        json.object { json in
            json.member("originalTransactionId", truth.originalTransactionID)
            json.member("kind", first.value.state == .owned ? "purchase" : "subscription")
            json.member("since", first.from.description)
            json.member("environment", (truth.environment ?? self.store.environment).rawValue)
        }
    }
}
