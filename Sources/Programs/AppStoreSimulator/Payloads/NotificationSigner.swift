import StrictJSON
import Subscriptions

/// Turns what the store has to say into what it sends: the payloads, each signed once.
package struct NotificationSigner: Sendable {
    private let store: StoreIdentity
    private let signer: PayloadSigner

    package init(store: StoreIdentity, signer: PayloadSigner) {
        self.store = store
        self.signer = signer
    }

    /// - Throws: only when the system's randomness fails.
    package func sign(_ notification: StoreNotification) throws -> SignedNotification {
        var signatures = Signatures()
        return try self.sign(notification, &signatures)
    }

    /// - Parameter signatures: of an earlier time, or none yet.
    func sign(_ notification: StoreNotification, _ signatures: inout Signatures) throws -> SignedNotification {
        var json = JSONWriter(reservingCapacity: 12_288)
        try json.object { json in
            json.member("notificationType", notification.type)
            json.member("subtype", ifPresent: notification.subtype)
            json.member("notificationUUID", notification.uuid)
            try self.write(notification.content, notification.signedDate, &signatures, to: &json)
            json.member("version", "2.0")
            json.member("signedDate", notification.signedDate.milliseconds)
        }
        return SignedNotification(
            type: notification.type, subtype: notification.subtype, uuid: notification.uuid,
            originalTransactionID: notification.originalTransactionID,
            signedDate: notification.signedDate, status: notification.purchase?.status,
            telling: notification.telling, signedPayload: try self.signer.sign(json.bytes, &signatures))
    }

    /// The one part of the four that an envelope has.
    private func write(
        _ content: StoreNotification.Content, _ signedDate: Moment, _ signatures: inout Signatures,
        to json: inout JSONWriter
    ) throws {
        switch content {
        case .purchase(let purchase):
            try json.part("data", of: self.store.selling(to: purchase.profile)) { json in
                try self.write(purchase, signedDate, &signatures, to: &json)
            }
        case .extensionSummary(let summary):
            json.part("summary", of: self.store) { self.write(summary, to: &$0) }
        case .externalPurchaseToken(let token):
            json.member("externalPurchaseToken") { json in json.object { self.write(token, to: &$0) } }
        case .appTransaction(let profile, let originalPurchaseDate):
            let store = self.store.selling(to: profile)
            let payload = AppTransactionPayload(
                profile: profile, store: store, originalPurchaseDate: originalPurchaseDate, signedDate: signedDate)
            try json.part("appData", of: store) { json in
                try self.sign(payload.json, as: "signedAppTransactionInfo", &signatures, in: &json)
            }
        case .test:
            json.part("data", of: self.store) { _ in }
        }
    }

    private func write(
        _ purchase: StoreNotification.Purchase, _ signedDate: Moment, _ signatures: inout Signatures,
        to json: inout JSONWriter
    ) throws {
        let store = self.store.selling(to: purchase.profile)
        json.member("bundleVersion", purchase.profile.bundleVersion)
        let transaction = TransactionPayload(
            transaction: purchase.transaction, profile: purchase.profile, store: store, signedDate: signedDate)
        try self.sign(transaction.json, as: "signedTransactionInfo", &signatures, in: &json)
        if let renewal = purchase.renewal {
            let payload = RenewalPayload(
                renewal: renewal, profile: purchase.profile, environment: store.environment,
                signedDate: signedDate)
            try self.sign(payload.json, as: "signedRenewalInfo", &signatures, in: &json)
        }
        json.member("status", ifPresent: purchase.status.map(Int64.init))
        json.member("consumptionRequestReason", ifPresent: purchase.consumptionRequestReason)
    }

    private func write(_ summary: StoreNotification.ExtensionSummary, to json: inout JSONWriter) {
        json.member("requestIdentifier", summary.requestIdentifier)
        json.member("productId", summary.productID)
        if let storefronts = summary.storefronts { json.member("storefrontCountryCodes", storefronts) }
        json.member("succeededCount", summary.succeeded)
        json.member("failedCount", summary.failed)
    }

    /// Names no environment: the prefix of its id does. It names its app in the sandbox too, as Apple's sample does:
    /// tokens are reported by app.
    private func write(_ token: StoreNotification.ExternalPurchaseToken, to json: inout JSONWriter) {
        json.member("externalPurchaseId", self.store.environment == .sandbox ? "SANDBOX_\(token.id)" : token.id)
        json.member("tokenCreationDate", token.created.milliseconds)
        json.member("appAppleId", self.store.appAppleID)
        json.member("bundleId", self.store.bundleID)
        json.member("tokenType", token.kind.rawValue)
        json.member("tokenExpirationDate", token.expires.milliseconds)
    }

    private func sign(
        _ payload: [UInt8], as key: String, _ signatures: inout Signatures, in json: inout JSONWriter
    ) throws {
        let quote = [UInt8(ascii: "\"")]
        let text = quote + (try self.signer.sign(payload, &signatures)) + quote
        json.member(key) { $0.raw(text) }  // base64url and dots: nothing to escape
    }
}

extension JSONWriter {
    /// A part that says which app it is about, and what `body` adds to that.
    fileprivate mutating func part<E: Error>(
        _ key: String, of store: StoreIdentity, _ body: (inout JSONWriter) throws(E) -> Void
    ) throws(E) {
        try self.member(key) { (json) throws(E) in
            try json.object { (json) throws(E) in
                json.write(app: store)
                json.member("environment", store.environment.rawValue)
                try body(&json)
            }
        }
    }

    /// The sandbox has no app ids.
    mutating func write(app store: StoreIdentity) {
        if store.environment == .production { self.member("appAppleId", store.appAppleID) }
        self.member("bundleId", store.bundleID)
    }

    mutating func member(_ key: String, _ texts: [String]) {
        self.member(key) { json in
            json.array { json in
                for text in texts { json.value(text) }
            }
        }
    }
}
