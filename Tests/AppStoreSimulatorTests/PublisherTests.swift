import AppStore
import AppStoreSimulator
import Subscriptions
import Testing

/// The simulator's notifications as a publisher sees them: read by the same code that reads Apple's.
@Suite struct PublisherTests {
    private static let customers = 60

    private let factory: LifecycleFactory
    private let reader: NotificationReader

    init() throws {
        self.factory = try LifecycleFactory(seed: 31)
        let app = try AppIdentity(
            bundleID: BundleID(rawValue: self.factory.store.bundleID), appAppleID: self.factory.store.appAppleID,
            environments: [.production, .sandbox], roots: [TrustedRoot(self.factory.rootCertificate)])
        let apps = try AppDirectory([app])
        self.reader = NotificationReader(verifier: PayloadVerifier(apps: apps), apps: apps)
    }

    private func bundle(_ notification: SignedNotification) async throws -> (StreamKey, FactBundle) {
        let reading = try await self.reader.read(notification.signedPayload, now: notification.signedDate)
        guard case .bundle(let key, let bundle) = reading else {
            throw Unreadable(notification: "\(notification.type): \(reading)")
        }
        return (key, bundle)
    }

    private struct Unreadable: Error {
        let notification: String
    }

    @Test func everythingIsVerifiedAndFindsItsStream() async throws {
        for index in 0..<Self.customers {
            for lifecycle in try self.factory.lifecycles(ofCustomer: index) {
                for notification in lifecycle.notifications {
                    let (key, bundle) = try await self.bundle(notification)
                    #expect(key.id == lifecycle.truth.originalTransactionID)
                    #expect(key.kind == (notification.status == nil ? .purchase : .subscription))
                    #expect(bundle.notification?.uuid == notification.uuid)
                    #expect(bundle.facts.status?.status.rawValue == notification.status.map(Int64.init))
                }
            }
        }
        let (key, _) = try await self.bundle(self.factory.testNotification())
        #expect(key.kind == .test)
    }

    /// The law of the domain: with every fact known, the state at an envelope's signing is the one it names.
    @Test func withEveryFactTheStateIsThatOfEachEnvelope() async throws {
        for index in 0..<Self.customers {
            for lifecycle in try self.factory.lifecycles(ofCustomer: index) {
                let events = try await self.events(of: lifecycle)
                let history = StreamHistory(key: events.key, events: events.events)
                for notification in lifecycle.notifications {
                    let state = history.snapshot(at: notification.signedDate, rules: DerivationRules())?.state
                    let truth = lifecycle.truth.standing(at: notification.signedDate)?.state
                    #expect(
                        state == truth,
                        "customer \(index), \(notification.type)/\(notification.subtype ?? "")"
                    )
                }
            }
        }
    }

    /// And as they come, with nothing known of what is still to be.
    @Test func asTheyComeTheStateIsThatOfEachEnvelope() async throws {
        for index in 0..<Self.customers {
            for lifecycle in try self.factory.lifecycles(ofCustomer: index) {
                var state: StreamState?
                for notification in lifecycle.notifications {
                    let (key, bundle) = try await self.bundle(notification)
                    var next = state ?? StreamState(key: key)
                    for event in next.decide(bundle, rules: DerivationRules()) { next.apply(event) }
                    state = next
                    #expect(
                        next.snapshot(at: notification.signedDate, rules: DerivationRules())?.state
                            == lifecycle.truth.standing(at: notification.signedDate)?.state,
                        "customer \(index), \(notification.type)/\(notification.subtype ?? "")"
                    )
                }
            }
        }
    }

    private func events(
        of lifecycle: SimulatedLifecycle
    ) async throws -> (key: StreamKey, events: [(at: Moment, event: SubscriptionEvent)]) {
        var events: [(at: Moment, event: SubscriptionEvent)] = []
        var state: StreamState?
        for notification in lifecycle.notifications {
            let (key, bundle) = try await self.bundle(notification)
            var next = state ?? StreamState(key: key)
            for event in next.decide(bundle, rules: DerivationRules()) {
                next.apply(event)
                events.append((notification.signedDate, event))
            }
            state = next
        }
        return (try #require(state?.key), events)
    }
}
