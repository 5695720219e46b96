import AppStore
import AppStoreSimulator
import Subscriptions
import Testing

/// The simulator's notifications as a publisher sees them: read by the same code that reads Apple's.
@Suite struct PublisherTests {
    /// Made once: every test looks at the same crowd.
    private static let crowd = Result {
        let factory = try LifecycleFactory(seed: 31)
        return (factory, try (0..<60).flatMap { try factory.lifecycles(ofCustomer: $0) })
    }

    private let factory: LifecycleFactory
    private let lifecycles: [SimulatedLifecycle]
    private let publisher: Publisher

    init() throws {
        (self.factory, self.lifecycles) = try Self.crowd.get()
        self.publisher = try Publisher(self.factory)
    }

    @Test func everythingIsVerifiedAndFindsItsStream() async throws {
        for lifecycle in self.lifecycles {
            for notification in lifecycle.notifications {
                let (key, bundle) = try await self.publisher.read(notification)
                #expect(key.id == lifecycle.truth.originalTransactionID)
                #expect(key.kind == (notification.status == nil ? .purchase : .subscription))
                #expect(bundle.notification?.uuid == notification.uuid)
                #expect(bundle.facts.status?.status.rawValue == notification.status.map(Int64.init))
            }
        }
        let (key, _) = try await self.publisher.read(self.factory.testNotification())
        #expect(key.kind == .test)
    }

    /// The law of the domain: with every fact known, the state at an envelope's signing is the one it names.
    @Test func withEveryFactTheStateIsThatOfEachEnvelope() async throws {
        for lifecycle in self.lifecycles {
            let states = try await self.publisher.statesInHindsight(
                of: lifecycle, at: lifecycle.notifications.map(\.signedDate))
            #expect(states == self.truths(of: lifecycle), "\(self.names(of: lifecycle))")
        }
    }

    /// And as they come, with nothing known of what is still to be.
    @Test func asTheyComeTheStateIsThatOfEachEnvelope() async throws {
        for lifecycle in self.lifecycles {
            let states = try await self.publisher.statesAsTheyCome(in: lifecycle)
            #expect(states == self.truths(of: lifecycle), "\(self.names(of: lifecycle))")
        }
    }

    private func truths(of lifecycle: SimulatedLifecycle) -> [String?] {
        lifecycle.notifications.map { lifecycle.truth.standing(at: $0.signedDate)?.state.rawValue }
    }

    private func names(of lifecycle: SimulatedLifecycle) -> [String] {
        lifecycle.notifications.map { "\($0.type)/\($0.subtype ?? "")" }
    }
}
