import Subscriptions

/// A life drawn from a seed: 3 to 30 notifications, in the order Apple signed them, and now and then what a device
/// posted or an API answered in between.
struct Lifecycle {
    let seed: UInt64
    private(set) var bundles: [FactBundle] = []

    init(seed: UInt64) {
        self.seed = seed
        var random = SeededRandom(seed: seed)
        var customer = Customer(period: [.days(7), .days(30), .days(365)].randomElement(using: &random)!)
        let length = Int.random(in: 3...30, using: &random)
        self.bundles = [
            customer.subscribe(
                trial: random.chance(30) ? .days(7) : nil, family: random.chance(15),
                commitment: random.chance(10) ? 6 : nil)
        ]
        var notifications = 1
        while notifications < length {
            self.bundles.append(Self.act(&customer, &random))
            notifications += 1
            if random.chance(15) { self.bundles.append(Self.overhear(&customer, &random)) }
        }
    }

    var notifications: [FactBundle] { self.bundles.filter { $0.source == .notification } }

    /// Where answers may differ: around every signature, and around the ends of periods, grace and leeway.
    var moments: [Moment] {
        let facts = self.bundles.map(\.facts)
        let ends = facts.flatMap { facts in
            facts.transactions.flatMap { [$0.purchaseDate, $0.expiresDate] } + [facts.renewal?.gracePeriodExpiresDate]
        }
        let centres = self.bundles.map(\.signedDate) + ends.compactMap(\.self)
        return Set(centres.flatMap { [$0 - oneMillisecond, $0, $0 + .hours(2)] }).sorted()
    }

    private static func act(_ customer: inout Customer, _ random: inout SeededRandom) -> FactBundle {
        switch customer.status {
        case .active: Self.actWhileSubscribed(&customer, &random)
        case .billingGracePeriod:
            switch Int.random(in: 0..<3, using: &random) {
            case 0: customer.graceExpires()
            case 1: customer.expire(.customerCancelled)
            default: customer.recover(chargedAtEnd: random.chance(50))
            }
        case .billingRetry:
            switch Int.random(in: 0..<3, using: &random) {
            case 0: customer.expire(.billingError)
            case 1: customer.expire(.customerCancelled)
            default: customer.recover()
            }
        case .revoked where random.chance(50):
            customer.reverseRefund(customer.currentIndex)
        default:
            if random.chance(20), let index = Self.refundable(customer, before: customer.transactions.count, &random) {
                customer.refund(index)
            } else {
                customer.resubscribe(Self.product(&random))
            }
        }
    }

    private static func actWhileSubscribed(_ customer: inout Customer, _ random: inout SeededRandom) -> FactBundle {
        let mayRenew = customer.isAutoRenewOn || customer.commitmentRuns
        if random.chance(45) {  // go on to the end of the period
            guard mayRenew else { return customer.expire(.customerCancelled) }
            switch Int.random(in: 0..<10, using: &random) {
            case 0: return customer.failToRenew(grace: nil)
            case 1, 2: return customer.failToRenew(grace: .days(16))
            case 3:
                return customer.expire(
                    [.priceIncreaseNotAccepted, .productNotForSale, .other].randomElement(using: &random)!)
            default:
                let bundle = customer.renew(
                    early: .hours(random.chance(50) ? Int64.random(in: 1...24, using: &random) : 0))
                customer.wait(until: customer.transactions.last!.purchaseDate!)
                return bundle
            }
        }
        let later =
            customer.now + Milliseconds(rawValue: .random(in: 0...customer.period.rawValue / 20, using: &random))
        guard later + .days(2) < customer.end else { return customer.notify("REFUND_DECLINED") }
        customer.wait(until: later)
        switch Int.random(in: 0..<14, using: &random) {
        case 0, 1: return customer.setAutoRenew(!customer.isAutoRenewOn)
        case 2: return customer.upgrade(to: Self.product(&random), offer: random.chance(30))
        case 3: return customer.scheduleDowngrade(to: Self.product(&random), offer: random.chance(30))
        case 4: return customer.cancelDowngrade()
        case 5: return customer.raisePrice(accepted: random.chance(50))
        case 6: return customer.redeemOffer()
        case 7: return customer.refund(customer.currentIndex, percentage: random.chance(30) ? 50_000 : 100_000)
        case 8, 9:
            guard let index = Self.refundable(customer, before: customer.currentIndex, &random) else { fallthrough }
            return customer.refund(index)
        case 10:
            guard
                let index = customer.transactions.prefix(customer.currentIndex).lastIndex(where: {
                    $0.revocationDate != nil
                })
            else { fallthrough }
            return customer.reverseRefund(index)
        case 11: return customer.extend()
        case 12 where customer.current.inAppOwnershipType == "FAMILY_SHARED": return customer.leaveFamily()
        default: return customer.notify("CONSUMPTION_REQUEST")
        }
    }

    private static func overhear(_ customer: inout Customer, _ random: inout SeededRandom) -> FactBundle {
        switch Int.random(in: 0..<3, using: &random) {
        case 0: customer.poll()
        case 1: customer.post()
        default: customer.listed(customer.transactions.indices.randomElement(using: &random)!)
        }
    }

    private static func refundable(_ customer: Customer, before limit: Int, _ random: inout SeededRandom) -> Int? {
        customer.transactions.indices.prefix(limit).filter { customer.transactions[$0].revocationDate == nil }
            .randomElement(using: &random)
    }

    private static func product(_ random: inout SeededRandom) -> String {
        ["basic.monthly", "pro.monthly", "max.monthly"].randomElement(using: &random)!
    }
}

extension Array {
    /// A random order with random repeats.
    func shuffledWithRepeats(using random: inout SeededRandom) -> [Element] {
        let repeats = (0..<Int.random(in: 0...self.count / 2, using: &random)).map { _ in
            self.randomElement(using: &random)!
        }
        return (self + repeats).shuffled(using: &random)
    }
}
