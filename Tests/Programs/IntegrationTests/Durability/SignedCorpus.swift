import AppStoreSimulator
import Subscriptions

/// Notifications of several customers' lives, in no order, and the root that they lead to.
struct SignedCorpus {
    let root: [UInt8]
    let notifications: [SignedNotification]
}

extension SignedCorpus {
    /// - Parameter authority: signs; nil makes one from the seed.
    init(
        count: Int, seed: UInt64, environment: AppStoreEnvironment = .production, authority: CertificateAuthority? = nil
    ) throws {
        let store = StoreIdentity(
            bundleID: NodeProcess.bundleID, appAppleID: NodeProcess.appAppleID, environment: environment)
        let factory = try LifecycleFactory(seed: seed, store: store, authority: authority)
        var notifications: [SignedNotification] = []
        var customer = 0
        while notifications.count < count {
            notifications += try factory.lifecycles(ofCustomer: customer).flatMap(\.notifications)
            customer += 1
        }
        var random = SeededGenerator(seed: seed, stream: 0)
        self.root = factory.rootCertificate
        self.notifications = Array(notifications.shuffled(using: &random).prefix(count))
    }
}
