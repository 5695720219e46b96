import JSONScanning
package import Subscriptions

/// Turns what the store has to say into what it sends: three payloads, each signed once.
struct NotificationSigner: Sendable {
    let store: StoreIdentity
    let signer: PayloadSigner

    /// The nested payloads are signed a moment before the envelope that carries them.
    private static let nestedLead = Milliseconds(rawValue: 10)

    /// - Throws: only when the system's randomness fails.
    func sign(_ notification: StoreNotification) throws -> SignedNotification {
        var json = JSONWriter(reservingCapacity: 12_288)
        try json.object { json in
            json.member("notificationType", notification.type)
            json.member("subtype", ifPresent: notification.subtype)
            json.member("notificationUUID", notification.uuid)
            try json.member("data") { try self.write(notification, to: &$0) }
            json.member("version", "2.0")
            json.member("signedDate", notification.signedDate.milliseconds)
        }
        return SignedNotification(
            type: notification.type, subtype: notification.subtype, uuid: notification.uuid,
            originalTransactionID: notification.originalTransactionID, signedDate: notification.signedDate,
            status: notification.purchase?.status, signedPayload: try self.signer.sign(json.bytes))
    }

    private func write(_ notification: StoreNotification, to json: inout JSONWriter) throws {
        let signedDate = notification.signedDate - Self.nestedLead
        try json.object { json in
            if self.store.environment == .production { json.member("appAppleId", self.store.appAppleID) }
            json.member("bundleId", self.store.bundleID)
            json.member("environment", self.store.environment.rawValue)
            guard let purchase = notification.purchase else { return }
            json.member("bundleVersion", purchase.profile.bundleVersion)
            let transaction = TransactionPayload(
                transaction: purchase.transaction, profile: purchase.profile, store: self.store, signedDate: signedDate)
            try self.sign(transaction.json, as: "signedTransactionInfo", in: &json)
            if let renewal = purchase.renewal {
                let payload = RenewalPayload(
                    renewal: renewal, profile: purchase.profile, environment: self.store.environment,
                    signedDate: signedDate)
                try self.sign(payload.json, as: "signedRenewalInfo", in: &json)
            }
            json.member("status", ifPresent: purchase.status.map(Int64.init))
        }
    }

    private func sign(_ payload: [UInt8], as key: String, in json: inout JSONWriter) throws {
        let quote = [UInt8(ascii: "\"")]
        let text = quote + (try self.signer.sign(payload)) + quote  // base64url and dots: nothing to escape
        json.member(key) { $0.raw(text) }
    }
}

/// A notification as it leaves the store.
package struct SignedNotification: Hashable, Sendable {
    package let type: String
    package let subtype: String?
    package let uuid: String
    /// nil for TEST.
    package let originalTransactionID: String?
    package let signedDate: Moment
    /// `data.status`.
    package let status: Int?
    /// Compact JWS.
    package let signedPayload: [UInt8]

    /// What is posted: `{"signedPayload": …}`.
    package var body: [UInt8] {
        var json = JSONWriter(reservingCapacity: self.signedPayload.count + 32)
        json.object { $0.member("signedPayload", String(decoding: self.signedPayload, as: UTF8.self)) }
        return json.bytes
    }
}
