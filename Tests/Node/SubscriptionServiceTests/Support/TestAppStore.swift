import AppStore
import AppStoreSimulator
import Subscriptions

/// Signs notifications and transactions as Apple would, with an authority of its own.
struct TestAppStore: Sendable {
    static let bundles = [BundleID(rawValue: "com.example.app"), BundleID(rawValue: "com.example.other")]

    private let authority: CertificateAuthority

    /// - Parameter seed: of its keys. Another seed makes a forger, whose certificates look the same.
    init(seed: UInt64 = 1) throws { self.authority = try CertificateAuthority.make(seed: seed) }

    /// The apps a node is configured with.
    func apps(_ bundles: [BundleID] = Self.bundles) throws -> AppDirectory {
        let root = try TrustedRoot(self.authority.root.der)
        return try AppDirectory(
            bundles.map { bundle in
                try AppIdentity(
                    bundleID: bundle, appAppleID: 1_234_567_890, environments: [.production, .sandbox], roots: [root])
            })
    }

    func sign(_ json: String) throws -> [UInt8] { try self.authority.signer.sign(Array(json.utf8)) }

    func sign(_ notification: TestNotification) throws -> [UInt8] {
        var data = """
            "environment":"\(notification.environment.rawValue)","bundleId":"\(notification.bundle.rawValue)",\
            "appAppleId":1234567890,"bundleVersion":"1"
            """
        if let period = notification.period {
            let transaction = String(decoding: try self.sign(period.transactionJSON(notification)), as: UTF8.self)
            let renewal = String(decoding: try self.sign(period.renewalJSON(notification)), as: UTF8.self)
            data += """
                ,"signedTransactionInfo":"\(transaction)","signedRenewalInfo":"\(renewal)","status":\(period.status)
                """
        }
        let subtype = notification.subtype.map { "\"subtype\":\"\($0)\"," } ?? ""
        return try self.sign(
            """
            {"notificationType":"\(notification.type)",\(subtype)"notificationUUID":"\(notification.uuid)",\
            "version":"2.0","signedDate":\(notification.signed.milliseconds),"data":{\(data)}}
            """)
    }

    /// What a device would hand to its backend.
    func transaction(_ notification: TestNotification) throws -> [UInt8] {
        try self.sign(notification.period?.transactionJSON(notification) ?? "{}")
    }
}
