import AppStoreSimulator
import ServiceContract
import SubscriptionService
import Subscriptions

/// One stream of one customer: what was true of it, what told it, and the moments at which it is asked about.
struct Story: Sendable {
    let customer: Int
    let stream: StreamReference
    private let life: SimulatedLifecycle
    /// In the order of signing.
    let tellings: [Telling]
    /// Asked about when all is over, with `at`.
    let past: [Moment]
    /// Asked about when the simulation is there, without `at`.
    let present: [Moment]

    init(
        _ life: SimulatedLifecycle, customer: Int, environment: AppStoreEnvironment, until end: Moment,
        random: inout SeededGenerator
    ) {
        self.customer = customer
        self.life = life
        self.tellings = life.notifications.compactMap(\.telling)
        let isPurchase = life.truth.autoRenew(at: end) == nil
        self.stream = StreamReference(
            kind: isPurchase ? .purchase : .subscription, id: life.truth.originalTransactionID,
            environment: environment)
        let edges =
            (life.truth.changes.map(\.from) + self.tellings.map(\.signedDate)).filter { $0 <= end }
        self.past = (0..<20).map { _ in Self.moment(edges, until: end, &random) } + [end]
        self.present = (0..<5).map { _ in Self.moment(edges, until: end, &random) }
    }

    /// Half of them anywhere in the life, half of them where it changes, to the millisecond or some minutes off.
    private static func moment(_ edges: [Moment], until end: Moment, _ random: inout SeededGenerator) -> Moment {
        guard let first = edges.min() else { return end }
        let moment =
            switch random.below(4) {
            case 0: random.pick(edges) + Milliseconds(rawValue: random.within(-1...1))
            case 1: random.pick(edges) + .seconds(random.within(-300...7_500))
            default:
                first + Milliseconds(rawValue: random.below(max(1, end.milliseconds - first.milliseconds)))
            }
        return min(moment, end)
    }

    /// - Parameter now: nil for hindsight.
    func truth(knownAt now: Moment?) -> Truth? {
        guard let now else { return self.life.truth }
        return self.life.truth(knownAt: now)
    }

    /// The notifications that decide what can be said of a moment by now, or in hindsight.
    func deciding(at moment: Moment, by now: Moment?) -> [Telling] {
        self.truth(knownAt: now)?.deciding(
            at: moment, among: self.tellings.filter { $0.signedDate <= now ?? .distantFuture }) ?? []
    }
}
