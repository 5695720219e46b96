package import Subscriptions

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
    private let scenario: Scenario
    private let rules: StoreRules
    private let start: Moment
    private let end: Moment
    private let signer: NotificationSigner

    /// 2024-01-01: what is made has to be the same on any day, and lie in the past of every node it is sent to.
    private static let start = Moment(milliseconds: 1_704_067_200_000)

    /// The certificate that signs is valid from here …
    package static let earliest = Moment(milliseconds: CertificateProfile.leaf.notBefore)
    /// … to here.
    package static let latest = Moment(milliseconds: CertificateProfile.leaf.notAfter)

    /// - Parameters:
    ///   - duration: from the start, 2024-01-01, to the last moment lived through. Customers arrive in its first tenth.
    ///   - authority: signs; nil makes one from the seed.
    package init(
        seed: UInt64 = 1, scenario: Scenario = .default, store: StoreIdentity = StoreIdentity(),
        from start: Moment = Self.start, duration: Milliseconds = .days(700), authority: CertificateAuthority? = nil
    ) throws {
        let authority = try authority ?? CertificateAuthority.make(seed: seed)
        self.init(
            seed: seed, scenario: scenario, store: store, start: start, duration: duration,
            rootCertificate: authority.root.der, signer: authority.signer)
    }

    /// Signs with the keys of a directory.
    package init(
        seed: UInt64, scenario: Scenario = .default, store: StoreIdentity, keys: SimulatorKeys
    ) throws {
        self.init(
            seed: seed, scenario: scenario, store: store, start: Self.start, duration: .days(700),
            rootCertificate: keys.rootCertificate, signer: try keys.signer())
    }

    private init(
        seed: UInt64, scenario: Scenario, store: StoreIdentity, start: Moment, duration: Milliseconds,
        rootCertificate: [UInt8], signer: PayloadSigner
    ) {
        self.store = store
        self.rootCertificate = rootCertificate
        self.seed = seed
        self.scenario = scenario
        self.rules = StoreRules(products: scenario.products, grace: scenario.grace, environment: store.environment)
        self.start = start
        self.end = start + duration
        self.signer = NotificationSigner(store: store, signer: signer)
    }

    /// All that one of the crowd buys: subscriptions (and those of the family they share with), and one-time purchases.
    ///
    /// - Throws: only when the system's randomness fails.
    package func lifecycles(ofCustomer index: Int) throws -> [SimulatedLifecycle] {
        try self.lifecycles(of: self.customer(index))
    }

    /// A written life. It is the same as that of the person with this number in a simulation from the same start.
    package func lifecycles(of person: ScriptedLife, number: Int) throws -> [SimulatedLifecycle] {
        try self.lifecycles(of: self.customer(person, number))
    }

    /// What a customer of the scenario makes the store say, in the order of signing, also about what is not a purchase. Its
    /// people are the first ones, then comes the crowd.
    package func notifications(ofCustomer index: Int) throws -> [SignedNotification] {
        let people = self.scenario.people
        return try self.notifications(
            of: index < people.count ? self.customer(people[index], index) : self.customer(index))
    }

    /// What a written life makes the store say, in the order of signing, also about what is not a purchase.
    package func notifications(of person: ScriptedLife, number: Int) throws -> [SignedNotification] {
        try self.notifications(of: self.customer(person, number))
    }

    /// Arrives in the first tenth of the time.
    private func customer(_ index: Int) -> Customer {
        var random = SeededGenerator(seed: self.seed, stream: ~UInt64(index))
        let arrival = random.below((self.end.milliseconds - self.start.milliseconds) / 10)
        return Customer(
            index: index, habits: self.scenario.habits, rules: self.rules, seed: self.seed,
            arrivesAt: self.start + Milliseconds(rawValue: arrival))
    }

    private func customer(_ person: ScriptedLife, _ number: Int) -> Customer {
        Customer(index: number, life: person, rules: self.rules, seed: self.seed, simulationStart: self.start)
    }

    private func notifications(of customer: Customer) throws -> [SignedNotification] {
        var customer = customer
        var notifications: [SignedNotification] = []
        while let due = customer.nextDue, due <= self.end {
            for notification in customer.next() { notifications.append(try self.signer.sign(notification)) }
        }
        return notifications.sorted { ($0.signedDate, $0.uuid) < ($1.signedDate, $1.uuid) }
    }

    private func lifecycles(of customer: Customer) throws -> [SimulatedLifecycle] {
        var customer = customer
        var told: [String: [SignedNotification]] = [:]
        var records: [String: [(from: Moment, truth: Truth)]] = [:]
        while let due = customer.nextDue, due <= self.end {
            var concluded: [String: Moment] = [:]
            for notification in customer.next() {
                guard let id = notification.originalTransactionID else { continue }
                told[id, default: []].append(try self.signer.sign(notification))
                if concluded[id] == nil { concluded[id] = notification.signedDate }
            }
            for truth in customer.truths where records[truth.originalTransactionID]?.last?.truth != truth {
                let id = truth.originalTransactionID
                let from = max(concluded[id] ?? due, records[id]?.last?.from ?? .distantPast)
                records[id, default: []].append((from, truth))
            }
        }
        return customer.truths.map { truth in
            SimulatedLifecycle(
                notifications: told[truth.originalTransactionID] ?? [], truth: truth,
                records: records[truth.originalTransactionID] ?? [])
        }
    }

    /// Apple's test notification.
    package func testNotification(number: Int = 0) throws -> SignedNotification {
        var random = SeededGenerator(seed: self.seed, stream: UInt64(number) ^ (1 << 63))
        return try self.signer.sign(.test(at: self.start + .seconds(Int64(number)), random: &random))
    }
}
