package import AppStore
package import AppStoreSimulator
package import Subscriptions

/// Lives as a node sees them: each notification is verified, folded and asked about by the code that does so for
/// Apple's, without a network and a database.
package struct LifeReader: Sendable {
    private let reader: NotificationReader
    private let rules = DerivationRules()

    /// - Parameters:
    ///   - store: whose notifications are read.
    ///   - rootCertificate: of their signatures; DER.
    package init(store: StoreIdentity, rootCertificate: [UInt8]) throws(AppStoreConfigurationError) {
        let app = try AppIdentity(
            bundleID: BundleID(rawValue: store.bundleID), appAppleID: store.appAppleID,
            environments: [store.environment, .sandbox], roots: [TrustedRoot(rootCertificate)])
        let apps = try AppDirectory([app])
        self.reader = NotificationReader(verifier: PayloadVerifier(apps: apps), apps: apps)
    }

    /// In the order of time, each notification at the moment of its signature, with what was true by what the store had
    /// concluded then.
    ///
    /// - Parameter end: until when the answer may still change by itself.
    /// - Throws: `LifeProblem` for a notification that is refused.
    package func moments(of lifecycle: SimulatedLifecycle, until end: Moment) async throws -> [LifeMoment] {
        try await self.moments(of: lifecycle.notifications, until: end) { moment in
            lifecycle.truth(knownAt: moment)?.standing(at: moment)?.state
        }
    }

    /// The same for what is recorded beside subscriptions and purchases.
    package func moments(of record: SignedNotification) async throws -> [LifeMoment] {
        try await self.moments(of: [record], until: record.signedDate) { _ in nil }
    }

    /// - Parameter truth: what they are held against.
    package func moments(
        of notifications: [SignedNotification], until end: Moment, truth: (Moment) -> Truth.State?
    ) async throws -> [LifeMoment] {
        var moments: [LifeMoment] = []
        var state: StreamState?
        for notification in notifications {
            let now = notification.signedDate
            if let state { self.pass(state, until: now, truth: truth, into: &moments) }
            let (key, bundle) = try await self.bundle(notification)
            var next = state ?? StreamState(key: key)
            for event in next.decide(bundle, rules: self.rules) { next.apply(event) }
            state = next
            moments.append(
                LifeMoment(
                    at: now,
                    cause: .told(
                        type: notification.type, subtype: notification.subtype, status: notification.status),
                    answer: next.snapshot(at: now, rules: self.rules), truth: truth(now)))
        }
        if let state { self.pass(state, until: end, truth: truth, into: &moments) }
        return moments
    }

    /// What changes by itself after the last moment and before `end`, where users can see it.
    private func pass(
        _ state: StreamState, until end: Moment, truth: (Moment) -> Truth.State?, into moments: inout [LifeMoment]
    ) {
        guard let last = moments.last, var before = last.answer else { return }
        var reached = last.at
        while let transition = state.nextTransition(after: reached, rules: self.rules), transition.due < end {
            reached = transition.due
            guard let answer = state.snapshot(at: reached, rules: self.rules) else { return }
            defer { before = answer }
            guard !answer.looksLike(before) else { continue }
            moments.append(
                LifeMoment(
                    at: reached, cause: .passed(transition.name), answer: answer,
                    truth: truth(reached)))
        }
    }

    private func bundle(_ notification: SignedNotification) async throws -> (StreamKey, FactBundle) {
        switch try await self.reader.read(notification.signedPayload, now: notification.signedDate) {
        case .bundle(let key, let bundle): return (key, bundle)
        case .quarantine(_, let detail): throw LifeProblem(notification: notification, detail: detail)
        }
    }
}

/// A simulated notification that is not taken.
package struct LifeProblem: Error, CustomStringConvertible {
    package let description: String

    init(notification: SignedNotification, detail: String) {
        self.description = "\(notification.type) at \(notification.signedDate) was not taken: \(detail)"
    }
}

extension SubscriptionSnapshot {
    /// The same to whoever asks for access.
    fileprivate func looksLike(_ other: SubscriptionSnapshot) -> Bool {
        (self.state, self.entitled, self.validUntil, self.productID, self.awaitingRenewal)
            == (other.state, other.entitled, other.validUntil, other.productID, other.awaitingRenewal)
    }
}
