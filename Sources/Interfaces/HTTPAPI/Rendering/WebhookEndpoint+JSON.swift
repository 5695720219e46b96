import StrictJSON
import Subscriptions
import Webhooks

extension WebhookEndpoint {
    /// - Parameters:
    ///   - showingKey: what receivers verify with is told where it was made, and never again if it is a secret.
    ///   - backlog: events that have not been taken yet; left out when nobody has counted them.
    func write(to json: inout JSONWriter, showingKey: Bool = false, backlog: Int? = nil) {
        json.object { json in
            json.member("id", self.id)
            json.member("url", self.wish.url)
            json.member("description", self.wish.description)
            json.member("format", self.wish.format.rawValue)
            json.member("types", self.wish.types)
            json.member("environments", self.wish.environments)
            json.member("bundleIds", self.wish.bundleIDs)
            json.member("createdAt", Moment(milliseconds: self.createdAt))
            json.member("disabled", self.disabled)
            json.member("backlog", ifPresent: backlog.map(Int64.init))
            json.member("keys") { json in
                json.array { json in
                    for (index, key) in self.keys.enumerated() {
                        key.write(to: &json, showing: showingKey && index == 0)
                    }
                }
            }
        }
    }
}

extension WebhookEndpoint.Key {
    fileprivate func write(to json: inout JSONWriter, showing: Bool) {
        let key = self.key
        json.object { json in
            json.member("algorithm", key?.algorithm.rawValue)
            if showing || key?.algorithm == .ed25519 { json.member("key", key?.verificationText) }
            json.member("until", self.until.map { Moment(milliseconds: $0) })
        }
    }
}

extension DeadLetter {
    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("id", self.message)
            json.member("type", self.type)
            json.member("originalTransactionId", self.originalTransactionID)
            json.member("version", self.version)
            json.member("attempts", Int64(self.attempts))
            json.member("reason", self.reason)
            json.member("at", Moment(milliseconds: self.at))
        }
    }
}
