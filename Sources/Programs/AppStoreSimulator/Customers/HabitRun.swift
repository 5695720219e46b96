import Subscriptions

/// What one of the crowd does: acts are drawn when they arrive, with every period that begins, and when they have left.
struct HabitRun: Sendable {
    private let habits: Habits
    private let products: [Product]
    private var random: SeededGenerator
    /// Of the running period, and of a customer who has left.
    private var agenda = Agenda<Act>()
    /// What does not depend on the period.
    private var others = Agenda<Act>()
    private var periods = 0
    private var isLapsed = false

    init(_ habits: Habits, products: [Product], from moment: Moment, random: SeededGenerator) {
        self.habits = habits
        self.products = products
        self.random = random
        self.arrive(at: moment)
    }

    var nextDue: Moment? { [self.agenda.nextDue, self.others.nextDue].compactMap(\.self).min() }

    mutating func next() -> Act? {
        if let due = self.others.nextDue, due == self.nextDue { return self.others.next()?.item }
        return self.agenda.next()?.item
    }

    private mutating func arrive(at moment: Moment) {
        let subscriptions = self.products.filter { $0.plan != nil }
        if !subscriptions.isEmpty {
            self.agenda.enter(.buy(product: self.random.pick(subscriptions).id), due: moment)
            if self.random.chance(of: self.habits.shares) {
                self.others.enter(.share(members: Int(self.random.within(1...5))), due: moment + self.days(1...20))
            }
            if self.random.chance(of: self.habits.advancedCommerce) { self.goAdvanced(from: moment) }
        }
        self.buyOnce(from: moment)
        if self.random.chance(of: self.habits.externalToken) {
            self.others.enter(.externalToken(isReported: self.random.chance(500)), due: moment + self.days(1...60))
        }
        if self.random.chance(of: self.habits.rescindsConsent) {
            self.others.enter(.rescindConsent, due: moment + self.days(30...200))
        }
    }

    private mutating func goAdvanced(from moment: Moment) {
        let migration = moment + self.days(5...20)
        self.others.enter(.migrate, due: migration)
        self.others.enter(.changeMetadata, due: migration + self.days(1...30))
        self.others.enter(
            .changePrice(to: self.random.within(1...9) * 1_000 + 990), due: migration + self.days(31...60))
    }

    private mutating func buyOnce(from moment: Moment) {
        let products = self.products.filter { $0.plan == nil }
        guard !products.isEmpty, self.random.chance(of: self.habits.buysOnce) else { return }
        self.others.enter(.buy(product: self.random.pick(products).id), due: moment + self.days(1...60))
    }

    /// When the money for a one-time purchase is asked back; nil: never.
    mutating func refundOfPurchase(at moment: Moment) -> Moment? {
        self.random.chance(of: self.habits.refundsOnce) ? moment + self.days(1...30) : nil
    }

    mutating func notice(_ life: SubscriptionLife, at moment: Moment) {
        if life.periods > self.periods {
            self.periods = life.periods
            self.isLapsed = false
            self.agenda.removeAll()
            self.live(through: life, from: max(moment, life.newest.purchaseDate))
        } else if life.stage == .lapsed, !self.isLapsed {
            self.isLapsed = true
            self.agenda.removeAll()
            self.returnPerhaps(to: life.product, at: moment)
        } else if life.isInService {
            self.isLapsed = false
        }
    }

    private mutating func returnPerhaps(to product: Product, at moment: Moment) {
        guard self.random.chance(of: self.habits.returns) else { return }
        let due = moment + self.days(5...100)
        let offer = product.plan?.offers.first { $0.kind == .winBack }?.identifier
        self.agenda.enter(.pay, due: due)
        self.agenda.enter(.buy(product: product.id, offer: self.random.chance(500) ? offer : nil), due: due)
    }

    // MARK: A period

    private mutating func live(through life: SubscriptionLife, from start: Moment) {
        let length = life.end.milliseconds - start.milliseconds
        let isTrial = life.newest.price == 0
        let first = start + Milliseconds(rawValue: length / 1_000 * self.random.within(100...450))
        let second = first + Milliseconds(rawValue: length / 1_000 * self.random.within(50...300))
        let acts = self.draw(isTrial ? self.habits.trial : self.habits.period, life)
        for (act, due) in zip(acts, [first, second]) {
            // The refund itself ends what was planned for the period.
            if act == .reverseRefund {
                self.others.enter(act, due: first + self.days(2...10))
            } else {
                self.agenda.enter(act, due: due)
            }
        }
        if life.members > 0, self.random.chance(of: self.habits.stopsSharing) {
            self.agenda.enter(.unshare, due: second)
        }
        if self.random.chance(of: self.habits.cardFails) {
            self.agenda.enter(.fail, due: start + Milliseconds(rawValue: length / 1_000 * 800))
            self.endFailure(after: life.end)
        }
    }

    private mutating func endFailure(after end: Moment) {
        let unpaid = self.habits.unpaid
        let draw = self.random.fraction()
        if draw < unpaid.paysSoon {
            self.agenda.enter(.pay, due: end + self.days(1...10))
        } else if draw < unpaid.paysSoon + unpaid.paysLate {
            self.agenda.enter(.pay, due: end + self.days(17...50))
        } else if draw < unpaid.paysSoon + unpaid.paysLate + unpaid.cancels {
            self.agenda.enter(.cancel, due: end + self.days(1...30))
        }
    }

    /// One of the things that may happen in a period, in one or two acts.
    private mutating func draw(_ habits: Habits.Period, _ life: SubscriptionLife) -> [Act] {
        let product = life.product
        let draw = self.random.fraction()
        var sum = 0.0
        func happens(_ probability: Double) -> Bool {
            sum += probability
            return draw < sum
        }
        if happens(habits.cancels) { return [.cancel] }
        if happens(habits.cancelsAndResumes) { return [.cancel, .resume] }
        if happens(habits.upgrades) { return self.change(from: product) { $0 < $1 } }
        if happens(habits.downgrades) { return self.change(from: product) { $0 > $1 } }
        if happens(habits.downgradesAndKeeps) {
            let acts = self.change(from: product) { $0 > $1 }
            return acts.isEmpty ? [] : acts + [.keep]
        }
        if happens(habits.crossgrades) { return self.change(from: product) { $0 == $1 } }
        if happens(habits.redeems) { return self.redemption(for: product).map { [.redeem(offer: $0)] } ?? [] }
        if happens(habits.redeemsToMove) { return self.move(from: product) }
        if happens(habits.refundsPresent) {
            let share = self.random.chance(200) ? self.random.within(1...99) * 1_000 : 100_000
            return [.refund(Act.Refund(.present, percentage: share))]
        }
        if happens(habits.refundsPrevious) { return [.refund(Act.Refund(.previous))] }
        if happens(habits.refundsComing) { return [.refund(Act.Refund(.coming))] }
        if happens(habits.refundDeclined) { return [.refund(Act.Refund(.present, isGranted: false))] }
        if happens(habits.refundReversed) { return [.refund(Act.Refund(.present)), .reverseRefund] }
        if happens(habits.priceRisesWithConsent) {
            let rise = Act.raisePrice(to: product.price + 1_000, needsConsent: true)
            return self.random.chance(600) ? [rise, .consent] : [rise]
        }
        if happens(habits.priceRisesWithNotice) {
            return [.raisePrice(to: product.price + 500, needsConsent: false)]
        }
        if happens(habits.extended) { return [.extend(by: self.days(1...30))] }
        if happens(habits.withdrawn) { return [.withdraw] }
        return happens(habits.lapses) ? [.lapse] : []
    }

    /// To another product of the group whose level compares like this with the present one's.
    private mutating func change(from product: Product, _ isWanted: (Int, Int) -> Bool) -> [Act] {
        self.other(than: product, isWanted).map { [.change(to: $0.id)] } ?? []
    }

    private mutating func other(than product: Product, _ isWanted: (Int, Int) -> Bool) -> Product? {
        guard let plan = product.plan else { return nil }
        let others = self.products.filter { other in
            guard let otherPlan = other.plan, other != product, otherPlan.group == plan.group else { return false }
            return isWanted(otherPlan.level, plan.level)
        }
        return others.isEmpty ? nil : self.random.pick(others)
    }

    private mutating func redemption(for product: Product) -> String? {
        let offers = product.plan?.offers.filter { [.promotional, .offerCode].contains($0.kind) } ?? []
        return offers.isEmpty ? nil : self.random.pick(offers).identifier
    }

    private mutating func move(from product: Product) -> [Act] {
        guard let other = self.other(than: product, { $0 != $1 }), let offer = self.redemption(for: other) else {
            return []
        }
        return [.redeem(offer: offer, product: other.id)]
    }

    private mutating func days(_ range: ClosedRange<Int64>) -> Milliseconds {
        .hours(self.random.within(range.lowerBound * 24...range.upperBound * 24))
    }
}
