/// What happened to a customer, in words: derived from two answers of the node and nothing else.
extension CustomerAnswer {
    /// What is new compared with the previous answer, and what it means for access; nil when it means nothing to people.
    package func sentence(since previous: CustomerAnswer) -> String? {
        guard let before = previous.state else { return self.isFirstPurchase ? self.beginning : self.standing }
        switch (before, self.state) {
        case ("subscribed", "subscribed"), ("grace", "grace"): return self.staying(since: previous)
        case ("grace", "subscribed"): return "paid again, nothing was missed: access \(self.end)"
        case ("retry", "subscribed"): return "the card paid at last: access again, \(self.end)"
        case ("expired", "subscribed"): return self.returning
        case ("revoked", "subscribed"): return self.afterRevocation
        case ("retry", "grace"), ("expired", "grace"), ("revoked", "grace"), ("subscribed", "grace"):
            return "the card did not pay: access goes on \(self.end)"
        case ("grace", "retry"): return "grace is over and the card still does not pay: no access until it does"
        case ("subscribed", "retry"), ("expired", "retry"), ("revoked", "retry"):
            return "the card did not pay: no access until it does"
        case (let before, "expired") where before != "expired": return self.expiry(since: previous)
        case ("expired", "expired") where previous.expirationIntent != self.expirationIntent:
            return self.expiry(since: previous)
        case (let before, "revoked") where before != "revoked": return self.ending
        default: return nil
        }
    }

    /// How things are, for who has heard nothing before.
    package var standing: String {
        switch self.state {
        case "subscribed" where self.autoRenew == false: "has \(self.product), and does not renew: access \(self.end)"
        case "subscribed": "has \(self.product)\(self.withOffer): access \(self.end), when it renews"
        case "grace": "the card does not pay: access goes on \(self.end)"
        case "retry": "the card does not pay: no access until it does"
        case "expired": "has left: no access"
        case "revoked": "has the money back: no access"
        default: "is known: \(self.entitled ? "access" : "no access")"
        }
    }

    private var isFirstPurchase: Bool { self.state == "subscribed" && self.news.contains("subscribed") }

    private var beginning: String {
        self.isTrial
            ? "starts a free trial of \(self.product): access \(self.end)"
            : "buys \(self.product)\(self.withOffer): access \(self.end)"
    }

    private var returning: String {
        self.says("resubscribed") || self.says("subscribed")
            ? "is back with \(self.product)\(self.withOffer): access again, \(self.end)"
            : "the news of the renewal came late: access again, \(self.end)"
    }

    private var afterRevocation: String {
        self.says("refundReversed")
            ? "the refund was taken back: access again, \(self.end)"
            : "buys \(self.product) again\(self.withOffer): access again, \(self.end)"
    }

    // MARK: Access goes on

    private func staying(since previous: CustomerAnswer) -> String? {
        self.purchase(since: previous) ?? self.intention(since: previous) ?? self.waiting(since: previous)
    }

    private func purchase(since previous: CustomerAnswer) -> String? {
        if self.says("upgraded"), self.productId != previous.productId {
            return "moves up to \(self.product) at once: access \(self.end)"
        }
        if self.productId != previous.productId { return "is on \(self.product) now: access \(self.end)" }
        if self.says("resubscribed") { return "buys again\(self.withOffer): access \(self.end)" }
        if self.says("recovered") { return "the card failed, and then paid: access \(self.end)" }
        if self.says("renewed") {
            if previous.isTrial { return "stays after the free trial, and pays: access \(self.end)" }
            return "renewed\(self.offer == previous.offer ? "" : self.withOffer): access \(self.end)"
        }
        if self.says("extended") { return "was given more time: access \(self.end)" }
        return self.says("refunded") ? "has money back for an earlier period: access stays, \(self.end)" : nil
    }

    private func intention(since previous: CustomerAnswer) -> String? {
        if previous.autoRenew != false, self.autoRenew == false {
            return "turned auto-renew off, and will leave: access \(self.end)"
        }
        if previous.autoRenew == false, self.autoRenew == true {
            return "turned auto-renew on again, and stays: access \(self.end), when it renews"
        }
        if let next = self.renewalProductId, let before = previous.renewalProductId, next != before {
            return next == self.productId
                ? "keeps \(next) after all: access \(self.end), when it renews"
                : "will change to \(next) at the next renewal: access to \(self.product) \(self.end)"
        }
        if self.priceIncrease != previous.priceIncrease {
            switch self.priceIncrease {
            case "pending": return "has to agree to a higher price: access \(self.end), longer only if so"
            case "accepted": return "the higher price is agreed: access goes on"
            default: break
            }
        }
        if self.says("offerRedeemed") { return "redeems an offer: access \(self.end)" }
        if self.says("refundDeclined") { return "gets no money back: access stays" }
        return self.says("consumptionRequested") ? "asks for the money back, Apple will decide: access stays" : nil
    }

    private func waiting(since previous: CustomerAnswer) -> String? {
        if self.awaitingRenewal, !previous.awaitingRenewal {
            return "the period is over, the renewal not known yet: access goes on for now"
        }
        return self.validUntil == previous.validUntil || self.awaitingRenewal ? nil : "access \(self.end)"
    }

    // MARK: Access ends

    private func expiry(since previous: CustomerAnswer) -> String {
        switch self.expirationIntent {
        case "customerCancelled": "left by choice, and the paid time is over: no access"
        case "billingError": "never paid, and Apple tries no more: no access"
        case "priceIncreaseNotAccepted": "did not agree to the higher price: no access"
        case "productNotForSale": "the product is no longer sold: no access"
        case nil where previous.autoRenew == true: "no word of the renewal so far: no access until it comes"
        case nil where previous.autoRenew == false: "left by choice, and the paid time is over: no access"
        default: "it ended: no access"
        }
    }

    private var ending: String {
        if self.revocation?.type == "FAMILY_REVOKE" || self.says("familyAccessRevoked") {
            return "the family shares no longer: access ended at once"
        }
        return self.revocation?.reason == "1"
            ? "has the money back, for an issue with the app: access ended at once"
            : "has the money back: access ended at once"
    }

    // MARK: Words

    private func says(_ change: String) -> Bool { self.news.contains(change) }

    private var product: String { self.productId ?? "a product" }

    private var end: String { self.validUntil.map { "until \($0.prefix(10))" } ?? "without an end" }

    private var isTrial: Bool { self.offer?.discount == "FREE_TRIAL" }

    private var withOffer: String {
        if self.isTrial { return ", as a free trial" }
        return switch self.offer?.type {
        case "introductory": ", at an introductory price"
        case "promotional": ", with a promotional offer"
        case "offerCode": ", with an offer code"
        case "winBack": ", with a win-back offer"
        default: ""
        }
    }
}
