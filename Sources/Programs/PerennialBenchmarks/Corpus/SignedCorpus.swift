import AppStore
import AppStoreSimulator
import ByteCoding
import Foundation
import Subscriptions

/// Notifications that were signed for this run, and what verifies them.
struct SignedCorpus: Sendable {
    /// Compact JWS; each holds a signed transaction and a signed renewal info.
    let notifications: [[UInt8]]
    let app: AppIdentity
    /// DER.
    let rootCertificate: [UInt8]

    init(count: Int, seed: UInt64 = 4) throws {
        let factory = try LifecycleFactory(seed: seed)
        var notifications: [[UInt8]] = []
        var customer = 0
        while notifications.count < count {
            let lifecycles = try factory.lifecycles(ofCustomer: customer)
            notifications += try lifecycles.flatMap(\.notifications).map(\.signedPayload).filter {
                try NestedJWS(in: $0) != nil
            }
            customer += 1
        }
        self.notifications = Array(notifications.prefix(count))
        self.rootCertificate = factory.rootCertificate
        self.app = try .simulated(root: factory.rootCertificate)
    }
}

extension AppIdentity {
    /// The app that the simulator sells subscriptions of.
    /// - Parameter root: DER.
    static func simulated(root: [UInt8]) throws -> AppIdentity {
        let store = StoreIdentity()
        return try AppIdentity(
            bundleID: BundleID(rawValue: store.bundleID), appAppleID: store.appAppleID,
            environments: [store.environment], roots: [try TrustedRoot(root)])
    }
}

/// The two JWS that a notification holds.
struct NestedJWS {
    let transaction: [UInt8]
    let renewal: [UInt8]

    /// nil for a notification that lacks one of them.
    init?(in notification: [UInt8]) throws {
        struct Payload: Decodable {
            struct Data: Decodable {
                var signedTransactionInfo: String?
                var signedRenewalInfo: String?
            }
            var data: Data?
        }
        let segments = notification.split(separator: UInt8(ascii: "."))
        guard segments.count == 3, let json = Base64.url.decode(segments[1]) else { return nil }
        let data = try JSONDecoder().decode(Payload.self, from: Data(json)).data
        guard let transaction = data?.signedTransactionInfo, let renewal = data?.signedRenewalInfo else { return nil }
        self.transaction = Array(transaction.utf8)
        self.renewal = Array(renewal.utf8)
    }
}
