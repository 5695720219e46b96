import Subscriptions

/// What a customer does in one subscription period, and how its renewal goes. A list of these is a scripted life.
package struct PeriodPlan: Hashable, Sendable {
    var deeds: [Deed] = []
    var charge = Charge.succeeds
    /// How long after a lapse the customer buys again; nil: never.
    var returnsAfter: Milliseconds?

    struct Deed: Hashable, Sendable {
        /// When, in thousandths of the period: 100…800, clear of the hours in which the renewal is charged.
        let permille: Int64
        let act: Act
    }

    enum Act: Hashable, Sendable {
        case turnOffRenewal, turnOnRenewal
        case upgrade, downgrade, keepProduct
        /// Asks for the present period's money back; granted within a day.
        case askForRefund
        case refundOfPreviousPeriod
    }

    enum Charge: Hashable, Sendable {
        case succeeds
        case fails(Ending)
    }

    /// How a billing failure ends. Times count from the end of the paid period.
    enum Ending: Hashable, Sendable {
        case paid(after: Milliseconds)
        case cancelled(after: Milliseconds)
        case never
    }
}

/// Where a customer's plans come from.
package enum Planner: Sendable {
    case habits
    case script([PeriodPlan], thenRepeating: [PeriodPlan])

    mutating func next(isTrial: Bool, random: inout SeededGenerator) -> PeriodPlan {
        switch self {
        case .habits:
            return .drawn(isTrial: isTrial, random: &random)
        case .script(var first, let repeating):
            if first.isEmpty { first = repeating }
            let plan = first.isEmpty ? PeriodPlan() : first.removeFirst()
            self = .script(first, thenRepeating: repeating)
            return plan
        }
    }
}

extension PeriodPlan {
    /// What the average crowd does.
    fileprivate static func drawn(isTrial: Bool, random: inout SeededGenerator) -> PeriodPlan {
        var plan = PeriodPlan()
        plan.deeds = self.deeds(isTrial: isTrial, random: &random)
        plan.charge = random.chance(120) ? .fails(self.ending(random: &random)) : .succeeds
        plan.returnsAfter = random.chance(450) ? .hours(random.within(5 * 24...100 * 24)) : nil
        return plan
    }

    private static func deeds(isTrial: Bool, random: inout SeededGenerator) -> [Deed] {
        let first = random.within(100...500)
        let second = first + random.within(50...300)
        switch random.below(1_000) {
        case ..<(isTrial ? 350 : 90): return [Deed(permille: first, act: .turnOffRenewal)]
        case ..<400 where isTrial: return [Deed(permille: first, act: .upgrade)]
        case ..<140:
            return [Deed(permille: first, act: .turnOffRenewal), Deed(permille: second, act: .turnOnRenewal)]
        case ..<190: return [Deed(permille: first, act: .upgrade)]
        case ..<230: return [Deed(permille: first, act: .downgrade)]
        case ..<250: return [Deed(permille: first, act: .downgrade), Deed(permille: second, act: .keepProduct)]
        case ..<280: return [Deed(permille: first, act: .askForRefund)]
        case ..<310: return [Deed(permille: first, act: .refundOfPreviousPeriod)]
        default: return []
        }
    }

    private static func ending(random: inout SeededGenerator) -> Ending {
        switch random.below(100) {
        case ..<45: .paid(after: .hours(random.within(24...10 * 24)))
        case ..<70: .paid(after: .hours(random.within(17 * 24...50 * 24)))
        case ..<80: .cancelled(after: .hours(random.within(24...30 * 24)))
        default: .never
        }
    }
}
