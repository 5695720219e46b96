import PerennialTestSupport
import Subscriptions
import Testing

/// The laws of the domain, over 200 drawn lifecycles. A failure names the seed.
@Suite(.onOwnThreads) struct LawTests {
    private static let seeds: [UInt64] = Array(1...200)
    private let rules = DerivationRules()

    @Test(
        "any order and repetition of the same bundles gives the same state, and with it the same answers",
        arguments: seeds)
    func orderDoesNotMatter(_ seed: UInt64) {
        let events = Lifecycle(seed: seed).bundles.map(SubscriptionEvent.init)
        let inOrder = events.reduce(into: StreamState(key: .subscription)) { $0.apply($1) }
        var random = SeededRandom(seed: seed &+ 1_000_000)
        for _ in 0..<1_000 {
            let state = events.shuffledWithRepeats(using: &random).reduce(into: StreamState(key: .subscription)) {
                $0.apply($1)
            }
            guard state == inOrder else {
                Issue.record("lifecycle \(seed) depends on its order")
                return
            }
        }
    }

    @Test(
        "an owner that decides bundle after bundle, and a replay of its log, give the answers of the fold",
        arguments: seeds)
    func replayEqualsLive(_ seed: UInt64) {
        let lifecycle = Lifecycle(seed: seed)
        let expected = StreamState(.subscription, lifecycle.bundles)
        let answers = expected.phases(from: .distantPast, rules: self.rules)
        var random = SeededRandom(seed: seed &+ 2_000_000)
        for _ in 0..<5 {
            var live = StreamState(key: .subscription)
            var log = [SubscriptionEvent]()
            for bundle in lifecycle.bundles.shuffledWithRepeats(using: &random) { log += live.receive(bundle) }
            #expect((live.facts == expected.facts) as Bool, "seed \(seed)")
            let replayed = log.reduce(into: StreamState(key: .subscription)) { $0.apply($1) }
            let replayedAnswers = replayed.phases(from: .distantPast, rules: self.rules)
            #expect((replayedAnswers == answers) as Bool, "seed \(seed)")
            if !live.hasUnrecordedFacts { #expect((replayed == live) as Bool, "seed \(seed)") }
        }
    }

    @Test("what only a client or history tells ends no paid access", arguments: seeds)
    func unvouchedEndsNothing(_ seed: UInt64) throws {
        let bundles = Lifecycle(seed: seed).bundles
        for count in 1..<bundles.count {
            let before = StreamState(.subscription, Array(bundles[..<count]))
            for source in [EventSource.client, .history] {
                var overheard = bundles[count]
                (overheard.source, overheard.facts.status, overheard.notification) = (source, nil, nil)
                let after = before.merging(overheard.facts, source: source)
                let now = overheard.signedDate
                guard let old = before.snapshot(at: now, rules: self.rules), old.state == .subscribed,
                    !old.awaitingRenewal
                else { continue }
                let new = try #require(after.snapshot(at: now, rules: self.rules))
                #expect(new.entitled, "seed \(seed), bundle \(count) from \(source)")
            }
        }
    }

    @Test("merging states is commutative, associative and idempotent", arguments: seeds)
    func mergingIsAJoin(_ seed: UInt64) {
        let bundles = Lifecycle(seed: seed).bundles
        let (a, b) = (bundles[0], bundles[bundles.count / 2])
        #expect(StreamState(.subscription, [a, b]) == StreamState(.subscription, [b, a]))
        #expect(StreamState(.subscription, [a, b, a, b, b]) == StreamState(.subscription, [a, b]))
    }

    @Test("with every fact present, the state at an envelope's signedDate is the envelope's status", arguments: seeds)
    func stateEqualsStatus(_ seed: UInt64) throws {
        let lifecycle = Lifecycle(seed: seed)
        let history = StreamHistory(lifecycle.bundles)
        for bundle in lifecycle.notifications {
            let snapshot = try #require(history.snapshot(at: bundle.signedDate, rules: self.rules))
            #expect(
                snapshot.state == bundle.facts.status?.status.state,
                "seed \(seed), \(bundle.notification!) at \(bundle.signedDate)")
        }
    }

    @Test("for now, the whole log gives the answer of the kept state", arguments: seeds)
    func historyMeetsState(_ seed: UInt64) throws {
        let lifecycle = Lifecycle(seed: seed)
        for count in 1...lifecycle.bundles.count {
            let bundles = Array(lifecycle.bundles.prefix(count))
            let now = bundles.map(\.signedDate).max()!
            let answer = StreamState(.subscription, bundles).snapshot(at: now, rules: self.rules)
            #expect(StreamHistory(bundles).snapshot(at: now, rules: self.rules) == answer, "seed \(seed), \(count)")
        }
    }

    @Test("taking away any later fact never changes what was known before it", arguments: seeds)
    func knownAtIsFinal(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed &+ 3_000_000)
        let lifecycle = Lifecycle(seed: seed)
        let bundles = lifecycle.bundles.shuffled(using: &random)
        let whole = StreamHistory(bundles)
        for (index, moment) in zip(bundles.indices, lifecycle.moments.shuffled(using: &random)) {
            let recorded = Moment(milliseconds: Int64(index))
            #expect(
                StreamHistory(Array(bundles[...index])).snapshot(at: moment, rules: self.rules)
                    == whole.snapshot(at: moment, knownAt: recorded, rules: self.rules), "seed \(seed)")
        }
    }

    @Test("nobody is entitled past validUntil", arguments: seeds)
    func validUntilHolds(_ seed: UInt64) throws {
        let lifecycle = Lifecycle(seed: seed)
        let state = StreamState(.subscription, lifecycle.bundles)
        let history = StreamHistory(lifecycle.bundles)
        for moment in lifecycle.moments {
            let snapshot = try #require(state.snapshot(at: moment, rules: self.rules))
            #expect(snapshot.entitled == (snapshot.validUntil != nil))
            #expect(snapshot.entitled == (snapshot.state == .subscribed || snapshot.state == .grace))
            guard let end = snapshot.validUntil else { continue }
            #expect(moment < end, "seed \(seed)")
            #expect(state.snapshot(at: end, rules: self.rules)?.entitled == false, "seed \(seed)")
            #expect(state.snapshot(at: end - oneMillisecond, rules: self.rules)?.entitled == true, "seed \(seed)")
            if let past = history.snapshot(at: moment, rules: self.rules)?.validUntil { #expect(moment < past) }
        }
    }

    @Test("phases and transitions tell of every change that comes by itself", arguments: seeds)
    func phasesAreComplete(_ seed: UInt64) throws {
        let lifecycle = Lifecycle(seed: seed)
        let state = StreamState(.subscription, lifecycle.bundles)
        let start = lifecycle.bundles[0].signedDate
        let phases = state.phases(from: start, rules: self.rules)
        for moment in lifecycle.moments where moment >= start {
            let phase = try #require(phases.last { $0.from <= moment })
            #expect(phase.snapshot == state.snapshot(at: moment, rules: self.rules), "seed \(seed)")
        }
        var moment = start
        while let transition = state.nextTransition(after: moment, rules: self.rules) {
            #expect(moment < transition.due)
            let before = state.snapshot(at: transition.due - oneMillisecond, rules: self.rules)
            #expect(before != state.snapshot(at: transition.due, rules: self.rules), "seed \(seed)")
            moment = transition.due
        }
    }
}

extension StreamHistory {
    /// Recorded one after the other, a millisecond apart from 1970 on.
    init(_ bundles: [FactBundle], key: StreamKey = .subscription) {
        self.init(
            key: key,
            events: bundles.enumerated().map { (Moment(milliseconds: Int64($0.offset)), SubscriptionEvent($0.element)) }
        )
    }
}
