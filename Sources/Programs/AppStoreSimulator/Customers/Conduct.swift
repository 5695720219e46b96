import Subscriptions

/// What makes a customer act: a script, or habits.
struct Conduct: Sendable {
    private enum Kind {
        case script(ScriptRun)
        case habits(HabitRun)
    }

    private var kind: Kind

    init(_ life: ScriptedLife, from moment: Moment) { self.kind = .script(ScriptRun(life, from: moment)) }

    init(_ habits: Habits, products: [Product], from moment: Moment, random: SeededGenerator) {
        self.kind = .habits(HabitRun(habits, products: products, from: moment, random: random))
    }

    var nextDue: Moment? {
        switch self.kind {
        case .script(let run): run.nextDue
        case .habits(let run): run.nextDue
        }
    }

    mutating func next() -> Act? {
        switch self.kind {
        case .script(var run):
            defer { self.kind = .script(run) }
            return run.next()
        case .habits(var run):
            defer { self.kind = .habits(run) }
            return run.next()
        }
    }

    /// Who follows a script says everything themselves.
    var isScripted: Bool {
        switch self.kind {
        case .script: true
        case .habits: false
        }
    }

    /// When the money for a one-time purchase is asked back without a script; nil: never.
    mutating func refundOfPurchase(at moment: Moment) -> Moment? {
        guard case .habits(var run) = self.kind else { return nil }
        defer { self.kind = .habits(run) }
        return run.refundOfPurchase(at: moment)
    }

    /// Has to follow each act.
    ///
    /// - Parameter renewals: how many the subscription has had that acts are about now.
    mutating func performed(renewals: Int) {
        guard case .script(var run) = self.kind else { return }
        run.performed(renewals: renewals)
        self.kind = .script(run)
    }

    /// Called after every step of the subscription that acts are about.
    mutating func notice(_ life: SubscriptionLife, at moment: Moment) {
        switch self.kind {
        case .script(var run):
            run.notice(renewals: life.renewals, periodStart: life.newest.purchaseDate, at: moment)
            self.kind = .script(run)
        case .habits(var run):
            run.notice(life, at: moment)
            self.kind = .habits(run)
        }
    }
}
