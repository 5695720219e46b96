import StrictJSON
package import Subscriptions

/// A notification as it leaves the store.
package struct SignedNotification: Hashable, Sendable {
    package let type: String
    package let subtype: String?
    package let uuid: String
    /// nil for what is not about a purchase.
    package let originalTransactionID: String?
    package let signedDate: Moment
    /// `data.status`.
    package let status: Int?
    /// nil for what is not about a purchase.
    package let telling: Telling?
    /// Compact JWS.
    package let signedPayload: [UInt8]

    /// What is posted: `{"signedPayload": …}`.
    package var body: [UInt8] {
        var json = JSONWriter(reservingCapacity: self.signedPayload.count + 32)
        json.object { $0.member("signedPayload", String(decoding: self.signedPayload, as: UTF8.self)) }
        return json.bytes
    }
}
