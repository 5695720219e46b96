import AppStore
import AppStoreSimulator
import Subscriptions

/// Reads the simulator's notifications with the code that reads Apple's.
struct Publisher {
    private let reader: NotificationReader

    /// What was read is no fact about a subscription or purchase.
    struct Unreadable: Error {
        let notification: String
    }

    init(_ factory: LifecycleFactory) throws {
        let app = try AppIdentity(
            bundleID: BundleID(rawValue: factory.store.bundleID), appAppleID: factory.store.appAppleID,
            environments: [.production, .sandbox], roots: [TrustedRoot(factory.rootCertificate)])
        let apps = try AppDirectory([app])
        self.reader = NotificationReader(verifier: PayloadVerifier(apps: apps), apps: apps)
    }

    func read(_ notification: SignedNotification) async throws -> (StreamKey, FactBundle) {
        let reading = try await self.reader.read(notification.signedPayload, now: notification.signedDate)
        guard case .bundle(let key, let bundle) = reading else {
            throw Unreadable(notification: "\(notification.type): \(reading)")
        }
        return (key, bundle)
    }

    /// At each signing, with nothing known of what is still to be.
    func statesAsTheyCome(in lifecycle: SimulatedLifecycle) async throws -> [String?] {
        var state: StreamState?
        var told: [String?] = []
        for notification in lifecycle.notifications {
            let (key, bundle) = try await self.read(notification)
            var next = state ?? StreamState(key: key)
            for event in next.decide(bundle, rules: DerivationRules()) { next.apply(event) }
            told.append(next.snapshot(at: notification.signedDate, rules: DerivationRules())?.state.rawValue)
            state = next
        }
        return told
    }

    /// At each of these moments, with every fact known.
    func statesInHindsight(of lifecycle: SimulatedLifecycle, at moments: [Moment]) async throws -> [String?] {
        var events: [(at: Moment, event: SubscriptionEvent)] = []
        var state: StreamState?
        for notification in lifecycle.notifications {
            let (key, bundle) = try await self.read(notification)
            var next = state ?? StreamState(key: key)
            for event in next.decide(bundle, rules: DerivationRules()) {
                next.apply(event)
                events.append((notification.signedDate, event))
            }
            state = next
        }
        guard let key = state?.key else { return [] }
        let history = StreamHistory(key: key, events: events)
        return moments.map {
            history.snapshot(at: $0, rules: DerivationRules())?.state.rawValue
        }
    }
}
