/// What the crowd does, as probabilities from 0 to 1. Those of one period exclude each other and add up to 1 at most.
package struct Habits: Hashable, Sendable {
    /// In the free trial.
    package var trial = Period(cancels: 0.35, upgrades: 0.05)
    /// In every other period.
    package var period = Period()
    /// That the card does not pay at a renewal, and what the customer does then.
    package var cardFails = 0.12
    package var unpaid = Unpaid()
    /// That one who has left comes back, 5 to 100 days later; half of them with a win-back offer where there is one.
    package var returns = 0.45
    /// That a new customer shares with their family.
    package var shares = 0.05
    /// That a family stops sharing within a period.
    package var stopsSharing = 0.05
    /// That a customer buys something beside the subscription; and that this is refunded.
    package var buysOnce = 0.15
    package var refundsOnce = 0.15
    /// That a customer comes by an external purchase token; that a parent withdraws consent; that a subscription is
    /// migrated to Advanced Commerce.
    package var externalToken = 0.01
    package var rescindsConsent = 0.002
    package var advancedCommerce = 0.005

    package init() {}

    /// What may happen in a period; the rest of the customers do nothing.
    package struct Period: Hashable, Sendable {
        package var cancels = 0.09
        package var cancelsAndResumes = 0.05
        package var upgrades = 0.04
        package var downgrades = 0.04
        package var downgradesAndKeeps = 0.02
        package var crossgrades = 0.02
        package var redeems = 0.02
        package var redeemsToMove = 0.01
        package var refundsPresent = 0.03
        package var refundsPrevious = 0.02
        package var refundsComing = 0.01
        package var refundDeclined = 0.01
        package var refundReversed = 0.01
        package var priceRisesWithConsent = 0.02
        package var priceRisesWithNotice = 0.01
        package var extended = 0.01
        package var withdrawn = 0.003
        package var lapses = 0.003

        package init() {}

        package init(cancels: Double, upgrades: Double) {
            self = Period(nothing: ())
            self.cancels = cancels
            self.upgrades = upgrades
        }

        private init(nothing: Void) {
            for path in Self.all { self[keyPath: path] = 0 }
        }

        package static var all: [WritableKeyPath<Period, Double>] {
            [
                \.cancels, \.cancelsAndResumes, \.upgrades, \.downgrades, \.downgradesAndKeeps, \.crossgrades,
                \.redeems, \.redeemsToMove, \.refundsPresent, \.refundsPrevious, \.refundsComing, \.refundDeclined,
                \.refundReversed, \.priceRisesWithConsent, \.priceRisesWithNotice, \.extended, \.withdrawn, \.lapses,
            ]
        }
    }

    /// After a failed charge: shares of one whole, the rest never pays.
    package struct Unpaid: Hashable, Sendable {
        /// Within 10 days.
        package var paysSoon = 0.45
        /// After 17 to 50 days.
        package var paysLate = 0.25
        /// Turns auto-renew off within 30 days.
        package var cancels = 0.10

        package init() {}
    }
}
