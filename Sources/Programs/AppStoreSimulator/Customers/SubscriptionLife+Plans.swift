import Subscriptions

/// Other products, offers and prices.
extension SubscriptionLife {
    private enum Move {
        /// A full new period begins; what is left of the old one is paid back.
        case now
        case atRenewal
    }

    /// Up and across within the same period length is now, down and across to another length at the next renewal.
    private func move(to product: Product) -> Move? {
        guard let plan = product.plan, let present = self.product.plan, plan.group == present.group,
            product != self.product
        else { return nil }
        if plan.level != present.level { return plan.level < present.level ? .now : .atRenewal }
        return plan.period == present.period ? .now : .atRenewal
    }

    mutating func change(to id: String, at moment: Moment) -> [StoreNotification] {
        guard self.isInService, let product = self.rules.product(id), !self.withdrawn.contains(product) else {
            return []
        }
        guard product != self.product else { return self.keep(at: moment) }
        return self.change(to: product, offer: nil, "DID_CHANGE_RENEWAL_PREF", at: moment)
    }

    private mutating func change(
        to product: Product, offer: Offer?, _ type: String, at moment: Moment
    ) -> [StoreNotification] {
        switch self.move(to: product) {
        case .now? where self.cardPays:
            for index in 0...self.members {
                self.accounts[index].mark(self.accounts[index].transactions.count - 1) { $0.isUpgraded = true }
            }
            return self.begin(product, offer: offer, from: moment, reason: .purchase, type, "UPGRADE", at: moment)
        case .atRenewal? where self.purchaser.renewal.product != product && !self.isCommitted:
            return self.everybody { account in
                account.setTerms(type, "DOWNGRADE", at: moment) { terms in
                    terms.product = product
                    terms.nextOffer = offer
                    (terms.raisedPrice, terms.priceIncrease) = (nil, nil)
                }
            }
        case .now?, .atRenewal?, nil:
            return []
        }
    }

    /// Back to the present product.
    mutating func keep(at moment: Moment) -> [StoreNotification] {
        let product = self.product
        guard self.isInService, self.purchaser.renewal.product != product else { return [] }
        return self.everybody { account in
            account.setTerms("DID_CHANGE_RENEWAL_PREF", nil, at: moment) { terms in
                terms.product = product
                terms.nextOffer = nil
            }
        }
    }

    /// For the present product an offer begins with the next renewal, which is turned on by it.
    mutating func redeem(_ identifier: String, for id: String?, at moment: Moment) -> [StoreNotification] {
        guard self.isInService, let product = id.map({ self.rules.product($0) }) ?? self.product,
            let offer = product.plan?.offer(identifier), [.promotional, .offerCode].contains(offer.kind)
        else { return [] }
        guard product == self.product else {
            return self.change(to: product, offer: offer, "OFFER_REDEEMED", at: moment)
        }
        return self.everybody { account in
            account.setTerms("OFFER_REDEEMED", nil, at: moment) { terms in
                terms.product = product
                terms.nextOffer = offer
                terms.turnRenewal(on: true)
            }
        }
    }

    // MARK: Prices

    mutating func raisePrice(to price: Int64, needsConsent: Bool, at moment: Moment) -> [StoreNotification] {
        guard self.isInService, self.purchaser.renewal.product == self.product else { return [] }
        return self.everybody { account in
            account.setTerms("PRICE_INCREASE", needsConsent ? "PENDING" : "ACCEPTED", at: moment) { terms in
                terms.raisedPrice = price
                terms.priceIncrease = needsConsent ? .pending : .accepted
            }
        }
    }

    mutating func consent(at moment: Moment) -> [StoreNotification] {
        guard self.isInService, self.purchaser.renewal.priceIncrease == .pending else { return [] }
        return self.everybody { account in
            account.setTerms("PRICE_INCREASE", "ACCEPTED", at: moment) { $0.priceIncrease = .accepted }
        }
    }

    // MARK: Renewal dates

    /// Apple extends by 90 days at most.
    private static let longestExtension = Milliseconds.days(90)

    mutating func extend(by duration: Milliseconds, at moment: Moment) -> [StoreNotification] {
        guard self.isInService else { return [] }
        let end = self.end + min(duration, Self.longestExtension)
        self.extensions.append(moment)
        let told = self.everybody { $0.extend(to: end, at: moment) }
        self.planPeriod(at: moment)
        return told
    }

    /// Twice within a year, says Apple.
    private static let mostExtensions = 2
    private static let extensionYear = Milliseconds.days(365)

    /// Why the publisher may not move the renewal date; nil when they may.
    func refusalOfExtension(at moment: Moment) -> StoreAPIError? {
        guard self.isInService else { return .extensionIneligible }
        let running = self.purchaser.transactions.last { $0.purchaseDate <= moment } ?? self.newest
        guard running.price > 0 else { return .extensionIneligible }
        let recent = self.extensions.count { $0 > moment - Self.extensionYear }
        return recent < Self.mostExtensions ? nil : .extensionsUsedUp
    }

    mutating func failExtension(at moment: Moment) -> [StoreNotification] {
        guard self.isInService else { return [] }
        return [self.accounts[0].tell("RENEWAL_EXTENSION", "FAILURE", at: moment)]
    }

    // MARK: Advanced Commerce

    mutating func migrate(at moment: Moment) -> [StoreNotification] {
        guard self.isInService, self.advancedCommerce == nil else { return [] }
        let commerce = AdvancedCommerce(
            requestReferenceID: self.random.uuid(), displayName: self.product.id, description: "As it was.",
            price: self.purchaser.renewal.raisedPrice ?? self.product.price)
        return self.tell("MIGRATION", commerce, at: moment)
    }

    mutating func changeMetadata(at moment: Moment) -> [StoreNotification] {
        guard self.isInService, var commerce = self.advancedCommerce else { return [] }
        commerce.description = "As it is since \(moment)."
        return self.tell("METADATA_UPDATE", commerce, at: moment)
    }

    mutating func changePrice(to price: Int64, at moment: Moment) -> [StoreNotification] {
        guard self.isInService, var commerce = self.advancedCommerce else { return [] }
        commerce.price = price
        self.advancedCommerce = commerce
        return self.everybody { account in
            account.mark(account.transactions.count - 1) { $0.advancedCommerce = commerce }
            return account.setTerms("PRICE_CHANGE", nil, at: moment) { $0.raisedPrice = price }
        }
    }

    private mutating func tell(_ type: String, _ commerce: AdvancedCommerce, at moment: Moment) -> [StoreNotification] {
        self.advancedCommerce = commerce
        return self.everybody { account in
            account.mark(account.transactions.count - 1) { $0.advancedCommerce = commerce }
            return account.tell(type, nil, at: moment)
        }
    }
}
