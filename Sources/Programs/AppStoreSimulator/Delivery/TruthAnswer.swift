import StrictJSON
import Subscriptions

/// What is true of one subscription or purchase at a moment, as JSON. Null where there is nothing to say.
struct TruthAnswer {
    let truth: Truth
    let moment: Moment
    /// What decides the answer and has not arrived.
    let missing: [DeliveryLog.Entry]

    init(_ truth: Truth, at moment: Moment, told entries: [DeliveryLog.Entry]) {
        self.truth = truth
        self.moment = moment
        let deciding = truth.deciding(at: moment, among: entries.map(\.telling))
        self.missing = entries.filter { $0.state != .arrived && deciding.contains($0.telling) }
    }

    func write(to json: inout JSONWriter) {
        let standing = self.truth.standing(at: self.moment)
        json.object { json in
            json.member("originalTransactionId", self.truth.originalTransactionID)
            json.member("at", self.moment.description)
            json.member("state", standing?.state.rawValue)
            json.member("status", self.truth.status(at: self.moment).map(Int64.init))
            json.member("entitled", standing?.isEntitled)
            json.member("productId", standing?.productID)
            json.member("transactionId", standing?.transactionID)
            json.member("expiresDate", standing?.expiresDate?.description)
            json.member("gracePeriodExpiresDate", standing?.gracePeriodExpiresDate?.description)
            json.member("autoRenew", self.truth.autoRenew(at: self.moment))
            json.member("missing") { json in
                json.array { json in for entry in self.missing { entry.writeMissing(to: &json) } }
            }
        }
    }
}

extension DeliveryLog.Entry {
    /// What was said and has not arrived.
    func writeMissing(to json: inout JSONWriter) {
        json.object { json in
            json.member("notificationUUID", self.telling.uuid)
            json.member("notificationType", self.telling.type)
            json.member("subtype", self.telling.subtype)
            json.member("signedDate", self.telling.signedDate.description)
            switch self.state {
            case .arrived: json.member("state", "arrived")
            case .givenUp: json.member("state", "givenUp")
            case .waiting(let due):
                json.member("state", "waiting")
                json.member("nextAttempt", due.description)
            }
            json.member("attempts") { json in
                json.array { json in
                    for attempt in self.failures {
                        json.object { json in
                            json.member("date", attempt.date.description)
                            json.member("result", attempt.result.rawValue)
                        }
                    }
                }
            }
        }
    }
}
