import Subscriptions
import Testing

/// Given facts, and what has to be answered at which moments.
struct RuleCase: Sendable, CustomTestStringConvertible {
    struct Answer: Hashable, Sendable {
        var state: LifecycleState
        var until: Moment?
        var awaiting = false
        var incomplete = false

        static func subscribed(_ until: Moment) -> Answer { Answer(state: .subscribed, until: until) }
        static func awaiting(_ until: Moment) -> Answer { Answer(state: .subscribed, until: until, awaiting: true) }
        static func grace(_ until: Moment) -> Answer { Answer(state: .grace, until: until) }
        static func owned(_ until: Moment?) -> Answer { Answer(state: .owned, until: until) }
        static let retry = Answer(state: .retry)
        static let expired = Answer(state: .expired)
        static let revoked = Answer(state: .revoked)

        var incompletely: Answer {
            var answer = self
            answer.incomplete = true
            return answer
        }
    }

    let testDescription: String
    let key: StreamKey
    let given: [FactBundle]
    let then: [(at: Moment, answer: Answer)]

    init(_ testDescription: String, key: StreamKey = .subscription, _ given: [FactBundle], _ then: [(Moment, Answer)]) {
        self.testDescription = testDescription
        self.key = key
        self.given = given
        self.then = then.map { (at: $0.0, answer: $0.1) }
    }

    /// In every order of the bundles.
    func check(rules: DerivationRules = DerivationRules()) throws {
        for order in [self.given, self.given.reversed()] {
            let state = StreamState(self.key, order)
            for (moment, expected) in self.then {
                let snapshot = try #require(state.snapshot(at: moment, rules: rules))
                let answer = Answer(
                    state: snapshot.state, until: snapshot.validUntil, awaiting: snapshot.awaitingRenewal,
                    incomplete: snapshot.incomplete)
                #expect(answer == expected, "at \(moment)")
            }
        }
    }
}

func just(before moment: Moment) -> Moment { moment - oneMillisecond }

let leeway = Milliseconds.hours(2)
