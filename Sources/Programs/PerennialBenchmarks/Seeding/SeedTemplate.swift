import AppStore
import AppStoreSimulator
import Entitlements
import Subscriptions
import WireProtocol

/// A subscription after its first notification, as a shard stores it. What is stored leaves out what equals the
/// stream's key, so the same bytes under another key are another subscription.
struct SeedTemplate: Sendable {
    let environment: AppStoreEnvironment
    let bundleID: BundleID
    let kind: String
    let body: [UInt8]
    let state: [UInt8]
    let entitlement: [UInt8]
    let nextDue: Moment

    /// Real ones of the simulator, verified and decided: entitled for the next hours, with nothing due in that time.
    static func make(
        _ count: Int, factory: LifecycleFactory, app: AppIdentity, now: Moment
    ) async throws -> [SeedTemplate] {
        let apps = try AppDirectory([app])
        let reader = NotificationReader(verifier: PayloadVerifier(apps: apps), apps: apps)
        var templates: [SeedTemplate] = []
        var customer = 0
        while templates.count < count {
            for lifecycle in try factory.lifecycles(ofCustomer: customer) {
                guard let first = lifecycle.notifications.first?.signedPayload else { continue }
                guard case .bundle(let key, let bundle) = try await reader.read(first, now: now) else { continue }
                if let template = try SeedTemplate(key, bundle, now: now) { templates.append(template) }
            }
            customer += 1
            guard customer < 100 * count else { throw BenchmarkError("the simulator sells nothing that fits") }
        }
        return Array(templates.prefix(count))
    }

    private init?(_ key: StreamKey, _ bundle: FactBundle, now: Moment) throws {
        let rules = DerivationRules()
        let later = now + .hours(6)
        var state = StreamState(key: key)
        let events = state.decide(bundle, rules: rules)
        guard key.kind == .subscription, events.count == 1 else { return nil }
        state.apply(events[0])
        guard let due = state.nextTransition(after: now, rules: rules)?.due, due > later,
            state.snapshot(at: later, rules: rules)?.entitled == true
        else { return nil }
        self.environment = key.environment
        self.bundleID = key.bundleID
        self.kind = events[0].kind.rawValue
        self.body = try events[0].protoBytes(key: key)
        self.state = StoredState(state).protoBytes()
        self.entitlement = EntitlementRow(state: state, version: 1, from: now, rules: rules).encoded(
            under: RulesFingerprint(rules))
        self.nextDue = due
    }
}
