import StrictJSON
import Subscriptions

/// JWSAppTransactionDecodedPayload, as the server signs it: one customer's download of the app.
struct AppTransactionPayload {
    let profile: CustomerProfile
    let store: StoreIdentity
    let originalPurchaseDate: Moment
    let signedDate: Moment

    /// A sandbox does not know which version came first.
    private var originalVersion: String {
        self.store.environment == .production ? self.profile.bundleVersion : "1.0"
    }

    var json: [UInt8] {
        var json = JSONWriter(reservingCapacity: 512)
        json.object { json in
            json.member("receiptType", self.store.environment.rawValue)
            json.write(app: self.store)
            json.member("appTransactionId", self.profile.appTransactionID)
            json.member("originalApplicationVersion", self.originalVersion)
            json.member("originalPurchaseDate", self.originalPurchaseDate.milliseconds)
            json.member("originalPlatform", "iOS")
            json.member("receiptCreationDate", self.signedDate.milliseconds)
        }
        return json.bytes
    }
}
