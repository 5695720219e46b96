import EventLog
import Ownership
import PerennialTestSupport

/// Everything there is at one moment: clocks, rows, nodes, messages, and what clients were told.
struct ModelState: Hashable {
    enum Violation: String {
        case staleAppend = "an append was accepted under an epoch older than the shard's"
        case staleAnswer = "an owner's answer shows less than what others had been told before"
        case twoOwners = "two runs may answer for the shard at once"
    }

    private var clocks = Pair { _ in Int8(0) }
    private var store = ModelStore()
    private var nodes: Pair<Shared<ModelNode>>
    /// What every later answer of an owner has to show.
    private var floor = LogSequence.zero
    private(set) var violation: Violation?

    /// Both have just registered and read the store, and the first owns the shard.
    init(_ rules: ModelRules) {
        self.nodes = Pair {
            Shared(ModelNode(ModelStore.Run(member: $0), terms: rules.terms, registeredAt: .zero))
        }
        for member in Member.allCases { self.hear(self.store, by: member, askedAt: .zero, suspects: false, rules) }
        self[.first].lifecycle.takeAndApply(.stored(.owned(self.store.ownership, exclusiveFrom: .zero)))
    }

    private subscript(member: Member) -> ModelNode {
        get { self.nodes[member].value }
        set { self.nodes[member] = Shared(newValue) }
    }

    private func now(_ member: Member) -> Duration { .seconds(self.clocks[member]) }

    /// nil when this cannot happen now.
    func after(_ step: ModelStep, _ rules: ModelRules) -> ModelState? {
        var next = self
        guard next.take(step, rules) else { return nil }
        next.forgetVain(rules.guards)
        if Member.allCases.allSatisfy({ next.mayAnswer($0, rules.guards) }) { next.violation = .twoOwners }
        return next
    }

    /// Rows never become again what they were: what can do nothing any more is as good as lost.
    private mutating func forgetVain(_ guards: ModelGuards) {
        for member in Member.allCases {
            if let seen = self[member].silent, seen != self.store.rows[member.other] { self[member].silent = nil }
            guard let claim = self[member].claim else { continue }
            let isOutdated = claim.epoch != self.store.epoch && guards.claimsAreAsSeen
            if isOutdated || !self.store.lives(claim.run) { self[member].claim = nil }
        }
    }

    /// It owns the shard, as far as it knows, and nobody before it may answer any more.
    private func isExclusive(_ member: Member) -> Bool { self[member].lifecycle.mayAnswer(at: self.now(member)) }

    private func hasLease(_ member: Member, _ guards: ModelGuards) -> Bool {
        self[member].lease.allowsAnswer(at: self.now(member)) || !guards.answersNeedTheLease
    }

    private func mayAnswer(_ member: Member, _ guards: ModelGuards) -> Bool {
        if !guards.answersAskAfterwards, self[member].answer != nil { return true }
        return self[member].lifecycle.isServing && (self.isExclusive(member) || !guards.readsWait)
            && self.hasLease(member, guards)
    }

    private mutating func take(_ step: ModelStep, _ rules: ModelRules) -> Bool {
        let member = step.member
        switch step.action {
        case .clockTicks: return self.tick(member, rules)
        case .sendsBeat, .beatIsExecuted, .hearsOfBeat, .losesAnswer: return self.beat(step, rules)
        case .reads:
            // The first run of the owner has all that there is to have; the next hears at once.
            guard self[member].reading == nil, !self[member].lease.isLost,
                self[member].run != ModelStore.Run(member: .first)
            else { return false }
            guard member == .second else {
                self.hear(self.store, by: member, askedAt: self.now(member), suspects: false, rules)
                return true
            }
            self[member].reading = ModelNode.Reading(asked: self.now(member), store: self.store)
            return true
        case .hears, .hearsAndSuspects:
            guard let reading = self[member].reading else { return false }
            let suspects = step.action == .hearsAndSuspects
            guard !suspects || !reading.store.rows[member.other].isDeposed else { return false }
            self[member].reading = nil
            self.hear(reading.store, by: member, askedAt: reading.asked, suspects: suspects, rules)
            return true
        case .deposes:
            guard let seen = self[member].silent else { return false }
            self[member].silent = nil
            self.store.depose(member.other, seen)
            return true
        case .claims: return self.claim(member, rules.guards)
        case .sendsAppend, .appendIsExecuted, .acknowledgesWrite: return self.append(step, rules)
        case .beginsRead, .answers: return self.answer(step, rules.guards)
        case .restarts: return self.restart(member, rules)
        }
    }

    /// The first clock is never behind the second, nor ahead by more than clocks may run apart.
    private mutating func tick(_ member: Member, _ rules: ModelRules) -> Bool {
        switch member {
        case .first:
            guard self.clocks[.first] < self.clocks[.second] + rules.drift, self.clocks[.first] < rules.horizon else {
                return false
            }
        case .second: guard self.clocks[.second] < self.clocks[.first] else { return false }
        }
        self.clocks[member] += 1
        return true
    }

    private mutating func beat(_ step: ModelStep, _ rules: ModelRules) -> Bool {
        let member = step.member
        var node = self[member]
        switch (step.action, node.beat) {
        case (.sendsBeat, .none):
            guard !node.lease.isLost, node.run.incarnation == 1, self.store.rows[member].beat < rules.mostBeats[member]
            else { return false }
            // Only the first one's beats take their time.
            if member == .first {
                node.beat = .sent(at: self.now(member))
            } else if self.store.beat(node.run, rules.guards) {
                node.lease.renew(sentAt: self.now(member))
            } else {
                node.lose()
            }
        case (.beatIsExecuted, .sent(let sent)):
            node.beat = .answered(sentAt: sent, isKnown: self.store.beat(node.run, rules.guards))
        case (.hearsOfBeat, .answered(let sent, let isKnown)):
            node.beat = .none
            if isKnown {
                node.lease.renew(sentAt: rules.guards.leaseCountsFromSending ? sent : self.now(member))
            } else {
                node.lose()
            }
        case (.losesAnswer, .answered): node.beat = .none
        default: return false
        }
        self[member] = node
        return true
    }

    private mutating func hear(
        _ store: ModelStore, by member: Member, askedAt asked: Duration, suspects: Bool, _ rules: ModelRules
    ) {
        self[member].hear(
            store, askedAt: asked, at: self.now(member), lease: rules.terms.length, suspects: suspects)
    }

    private mutating func claim(_ member: Member, _ guards: ModelGuards) -> Bool {
        guard let claim = self[member].claim else { return false }
        self[member].claim = nil
        guard self.store.claim(claim.run, seen: claim.epoch, guards), claim.run == self[member].run,
            !self[member].lease.isLost
        else { return true }
        self[member].lifecycle.takeAndApply(.stored(.owned(self.store.ownership, exclusiveFrom: claim.exclusiveFrom)))
        return true
    }

    private mutating func append(_ step: ModelStep, _ rules: ModelRules) -> Bool {
        var node = self[step.member]
        switch (step.action, node.append) {
        case (.sendsAppend, .none):
            guard node.lifecycle.isServing, let standing = node.lifecycle.stored.standing,
                standing.head < rules.mostEvents
            else {
                return false
            }
            node.append = .sent(node.run, standing)
        case (.appendIsExecuted, .sent(let run, let standing)):
            let isAccepted = self.store.append(run, standing, rules.guards)
            if isAccepted, standing.epoch.rawValue < Int64(self.store.epoch) { self.violation = .staleAppend }
            node.append = .none
            guard run == node.run, node.lifecycle.stored.epoch == standing.epoch else { break }
            // Fenced, there is no other way to take it again than as anybody.
            if isAccepted {
                node.append = .recorded
            } else {
                node.lifecycle.takeAndApply(.stored(.released(under: standing.epoch)))
            }
        case (.acknowledgesWrite, .recorded) where self.isExclusive(step.member) || !rules.guards.writesWait:
            node.append = .none
            guard let epoch = node.lifecycle.stored.epoch, let before = node.lifecycle.stored.standing?.head else {
                return false
            }
            let head = LogSequence(rawValue: before.rawValue + 1)
            node.lifecycle.takeAndApply(.stored(.appended(head: head, under: epoch)))
            self.floor = max(self.floor, head)
        default: return false
        }
        self[step.member] = node
        return true
    }

    private mutating func answer(_ step: ModelStep, _ guards: ModelGuards) -> Bool {
        let member = step.member
        switch (step.action, self[member].answer) {
        case (.beginsRead, nil):
            let lifecycle = self[member].lifecycle
            guard lifecycle.isServing, let head = lifecycle.stored.standing?.head,
                self.isExclusive(member) || !guards.readsWait,
                // What everybody knows tells nothing, unless it is told too late.
                head != self.floor || !guards.answersAskAfterwards,
                guards.answersAskAfterwards || self.hasLease(member, guards)
            else { return false }
            self[member].answer = ModelNode.Answer(head: head, floor: self.floor)
        case (.answers, let answer?):
            self[member].answer = nil
            guard !guards.answersAskAfterwards || self.hasLease(member, guards) else { return true }
            if answer.head < answer.floor { self.violation = .staleAnswer }
            self.floor = max(self.floor, answer.head)
        default: return false
        }
        return true
    }

    private mutating func restart(_ member: Member, _ rules: ModelRules) -> Bool {
        guard self[member].run.incarnation < rules.mostRuns[member] else { return false }
        self[member] = self[member].restarted(terms: rules.terms, at: self.now(member))
        self.store.register(self[member].run)
        return true
    }
}
