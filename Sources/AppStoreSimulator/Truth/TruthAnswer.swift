import JSONScanning
import Subscriptions

/// What is true of one subscription or purchase at a moment, as JSON. Null where there is nothing to say.
struct TruthAnswer {
    let truth: Truth
    let moment: Moment

    var json: [UInt8] {
        let standing = self.truth.standing(at: self.moment)
        var json = JSONWriter()
        json.object { json in
            json.member("originalTransactionId", self.truth.originalTransactionID)
            json.member("at", self.moment.description)
            json.member("state", standing?.state.rawValue)
            json.member("status", self.truth.status(at: self.moment).map(Int64.init))
            json.member("entitled", standing.map { [.subscribed, .grace, .owned].contains($0.state) })
            json.member("productId", standing?.productID)
            json.member("transactionId", standing?.transactionID)
            json.member("expiresDate", standing?.expiresDate?.description)
            json.member("gracePeriodExpiresDate", standing?.gracePeriodExpiresDate?.description)
            json.member("autoRenew", self.truth.autoRenew(at: self.moment))
        }
        return json.bytes
    }
}
