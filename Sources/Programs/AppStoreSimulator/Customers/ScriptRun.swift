import Subscriptions

/// A written life on its way: one act after the other, with pauses.
struct ScriptRun: Sendable {
    private let life: ScriptedLife
    private var position = 0
    private(set) var nextDue: Moment?
    /// The script goes on when there have been so many.
    private var awaitedRenewals: Int?

    private static let intoPeriod = Milliseconds.hours(1)

    init(_ life: ScriptedLife, from moment: Moment) {
        self.life = life
        self.goOn(from: moment, renewals: 0)
    }

    mutating func next() -> Act? {
        guard self.nextDue != nil, case .act(let act) = self.life.steps[self.position] else { return nil }
        self.position += 1
        return act
    }

    /// Has to follow each act.
    ///
    /// - Parameter renewals: how many the subscription has had that the script is about now.
    mutating func performed(renewals: Int) {
        if let moment = self.nextDue { self.goOn(from: moment, renewals: renewals) }
    }

    mutating func notice(renewals: Int, periodStart: Moment, at moment: Moment) {
        guard let awaited = self.awaitedRenewals, renewals >= awaited else { return }
        self.awaitedRenewals = nil
        self.goOn(from: max(periodStart, moment) + Self.intoPeriod, renewals: renewals)
    }

    /// To the next act. A life that repeats contains a pause, so this ends.
    private mutating func goOn(from moment: Moment, renewals: Int) {
        var moment = moment
        self.nextDue = nil
        while true {
            if self.position == self.life.steps.count {
                guard self.life.repeats else { return }
                self.position = 0
            }
            switch self.life.steps[self.position] {
            case .act:
                self.nextDue = moment
                return
            case .wait(.time(let duration)):
                moment = moment + duration
            case .wait(.calendar(let period)):
                moment = moment.after(period)
            case .wait(.renewals(let count)):
                self.position += 1
                self.awaitedRenewals = renewals + count
                return
            }
            self.position += 1
        }
    }
}
