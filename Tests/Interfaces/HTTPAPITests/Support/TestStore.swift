import AppStore
import AppStoreSimulator
import Foundation
import Subscriptions

/// An App Store that vouches for what a test makes up.
struct TestStore: Sendable {
    let authority: CertificateAuthority
    /// Two apps that sell under the same ids now and then.
    static let apps = ["com.example.app", "com.example.other"]
    static let appAppleID: Int64 = 1_234_567_890

    /// Shared, because keys and certificates cost time; payloads do not.
    static let shared = Result { TestStore(authority: try CertificateAuthority.make(seed: 42)) }

    func directory() throws -> AppDirectory {
        let root = try TrustedRoot(self.authority.root.der)
        return try AppDirectory(
            Self.apps.map { id in
                try AppIdentity(
                    bundleID: BundleID(rawValue: id), appAppleID: Self.appAppleID,
                    environments: [.production, .sandbox],
                    roots: [root])
            })
    }

    func sign(_ payload: [String: Any]) throws -> String {
        let json = try JSONSerialization.data(withJSONObject: payload, options: [.sortedKeys])
        return String(decoding: try self.authority.signer.sign(Array(json)), as: UTF8.self)
    }

    /// A subscription bought now for a month, as a signed transaction.
    func transaction(
        id: String, of original: String? = nil, bundleID: String = Self.apps[0], environment: String = "Production",
        type: String = "Auto-Renewable Subscription", purchased: Moment = .now, lasts: Milliseconds = .days(30),
        token: String? = nil
    ) throws -> String {
        var payload: [String: Any] = [
            "transactionId": id, "originalTransactionId": original ?? id, "bundleId": bundleID,
            "productId": "pro.monthly",
            "subscriptionGroupIdentifier": "21000001", "purchaseDate": purchased.milliseconds,
            "originalPurchaseDate": purchased.milliseconds, "quantity": 1, "type": type,
            "inAppOwnershipType": "PURCHASED", "signedDate": purchased.milliseconds, "environment": environment,
            "transactionReason": "PURCHASE", "storefront": "DEU", "storefrontId": "143443", "price": 9_990,
            "currency": "EUR", "webOrderLineItemId": "line-\(id)",
        ]
        payload["appAccountToken"] = token
        if type == "Auto-Renewable Subscription" { payload["expiresDate"] = (purchased + lasts).milliseconds }
        return try self.sign(payload)
    }

    func renewal(id: String, environment: String = "Production", signed: Moment = .now) throws -> String {
        try self.sign([
            "originalTransactionId": id, "productId": "pro.monthly", "autoRenewProductId": "pro.monthly",
            "autoRenewStatus": 1, "signedDate": signed.milliseconds, "environment": environment,
        ])
    }

    /// The body of Apple's POST for a first purchase.
    func notification(
        id: String, bundleID: String = Self.apps[0], uuid: UUID = UUID(), purchased: Moment = .now,
        signed: Moment? = nil
    ) throws -> String {
        try self.body([
            "notificationType": "SUBSCRIBED", "subtype": "INITIAL_BUY",
            "notificationUUID": uuid.uuidString.lowercased(),
            "version": "2.0", "signedDate": (signed ?? purchased).milliseconds,
            "data": [
                "appAppleId": Self.appAppleID, "bundleId": bundleID, "bundleVersion": "1", "environment": "Production",
                "status": 1,
                "signedTransactionInfo": try self.transaction(id: id, bundleID: bundleID, purchased: purchased),
                "signedRenewalInfo": try self.renewal(id: id, signed: purchased),
            ],
        ])
    }

    /// The body of Apple's POST about one charge.
    func notification(
        _ type: String, about id: String, of original: String, purchased: Moment, signed: Moment = .now
    ) throws -> String {
        try self.body([
            "notificationType": type, "notificationUUID": UUID().uuidString.lowercased(), "version": "2.0",
            "signedDate": signed.milliseconds,
            "data": [
                "appAppleId": Self.appAppleID, "bundleId": Self.apps[0], "environment": "Production", "status": 1,
                "signedTransactionInfo": try self.transaction(id: id, of: original, purchased: purchased),
            ],
        ])
    }

    func testNotification() throws -> String {
        try self.body([
            "notificationType": "TEST", "notificationUUID": UUID().uuidString.lowercased(), "version": "2.0",
            "signedDate": Moment.now.milliseconds,
            "data": ["appAppleId": Self.appAppleID, "bundleId": Self.apps[0], "environment": "Production"],
        ])
    }

    private func body(_ notification: [String: Any]) throws -> String {
        #"{"signedPayload":"\#(try self.sign(notification))"}"#
    }
}

extension Moment {
    static var now: Moment { Moment(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000)) }
}
