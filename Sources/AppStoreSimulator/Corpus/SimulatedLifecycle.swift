package import Subscriptions

/// The whole life of one subscription or purchase without a network: what the store sent, and what was true.
package struct SimulatedLifecycle: Sendable {
    /// In the order of signing; all about `truth.originalTransactionID`.
    package let notifications: [SignedNotification]
    package let truth: Truth
}

/// Makes lifecycles, for tests and load: the same seed and number give the same life, byte for byte apart from
/// signatures.
///
///     let factory = try LifecycleFactory(seed: 7)
///     for lifecycle in try factory.lifecycles(ofCustomer: 0) {
///         for notification in lifecycle.notifications { … notification.signedPayload, .status … }
///     }
///     // verified with the root `factory.rootCertificate` and the identity `factory.store`
package struct LifecycleFactory: Sendable {
    package let store: StoreIdentity
    /// DER.
    package let rootCertificate: [UInt8]
    private let seed: UInt64
    private let start: Moment
    private let end: Moment
    private let signer: NotificationSigner

    /// 2024-01-01: what is made has to be the same on any day, and lie in the past of every node it is sent to.
    private static let start = Moment(milliseconds: 1_704_067_200_000)

    /// - Parameters:
    ///   - duration: from the start, 2024-01-01, to the last moment lived through. Customers arrive in its first tenth.
    ///   - authority: signs; nil makes one from the seed.
    package init(
        seed: UInt64 = 1, store: StoreIdentity = StoreIdentity(), duration: Milliseconds = .days(700),
        authority: CertificateAuthority? = nil
    ) throws {
        let authority = try authority ?? CertificateAuthority.make(seed: seed)
        self.init(
            seed: seed, store: store, duration: duration, rootCertificate: authority.root.der, signer: authority.signer)
    }

    /// Signs with the keys of a directory.
    package init(seed: UInt64, store: StoreIdentity, keys: SimulatorKeys) throws {
        self.init(
            seed: seed, store: store, duration: .days(700), rootCertificate: keys.rootCertificate,
            signer: try keys.signer())
    }

    private init(
        seed: UInt64, store: StoreIdentity, duration: Milliseconds, rootCertificate: [UInt8], signer: PayloadSigner
    ) {
        self.store = store
        self.rootCertificate = rootCertificate
        self.seed = seed
        self.start = Self.start
        self.end = Self.start + duration
        self.signer = NotificationSigner(store: store, signer: signer)
    }

    /// The subscription's, and after it the one-time purchase's of those customers who have one.
    ///
    /// - Throws: only when the system's randomness fails.
    package func lifecycles(ofCustomer index: Int) throws -> [SimulatedLifecycle] {
        var random = SeededGenerator(seed: self.seed, stream: ~UInt64(index))
        let arrival = random.below((self.end.milliseconds - self.start.milliseconds) / 10)
        var customer = Customer(
            index: index, seed: self.seed, arrivesAt: self.start + Milliseconds(rawValue: arrival))
        var notifications: [String?: [SignedNotification]] = [:]
        while let due = customer.nextDue, due <= self.end {
            guard let notification = customer.next() else { continue }
            notifications[notification.originalTransactionID, default: []].append(try self.signer.sign(notification))
        }
        return customer.truths.map {
            SimulatedLifecycle(notifications: notifications[$0.originalTransactionID] ?? [], truth: $0)
        }
    }

    /// Apple's test notification.
    package func testNotification(number: Int = 0) throws -> SignedNotification {
        var random = SeededGenerator(seed: self.seed, stream: UInt64(number) ^ (1 << 63))
        return try self.signer.sign(.test(at: self.start + .seconds(Int64(number)), random: &random))
    }
}
