import Subscriptions

/// What the customer, the publisher or Apple's support changes about what was bought.
extension Customer {
    mutating func setAutoRenew(_ isOn: Bool) -> FactBundle {
        self.renewal.autoRenewStatus = isOn ? 1 : 0
        return self.notify("DID_CHANGE_RENEWAL_STATUS", isOn ? "AUTO_RENEW_ENABLED" : "AUTO_RENEW_DISABLED")
    }

    mutating func scheduleDowngrade(to product: String = "basic.monthly", offer: Bool = false) -> FactBundle {
        self.renewal.autoRenewProductID = product
        if offer { self.promise(.offerCode) }
        return self.notify(offer ? "OFFER_REDEEMED" : "DID_CHANGE_RENEWAL_PREF", "DOWNGRADE")
    }

    mutating func cancelDowngrade() -> FactBundle {
        self.renewal.autoRenewProductID = self.renewal.productID
        return self.notify("DID_CHANGE_RENEWAL_PREF")
    }

    mutating func redeemOffer() -> FactBundle {
        self.promise(.promotional)
        return self.notify("OFFER_REDEEMED")
    }

    mutating func raisePrice(accepted: Bool) -> FactBundle {
        self.renewal.priceIncreaseStatus = accepted ? 1 : 0
        return self.notify("PRICE_INCREASE", accepted ? "ACCEPTED" : "PENDING")
    }

    mutating func refund(_ index: Int, percentage: Int64 = 100_000) -> FactBundle {
        self.wait(.minutes(5))
        self.transactions[index].revocationDate = self.now
        self.transactions[index].revocationReason = .other
        self.transactions[index].revocationType = percentage == 100_000 ? "REFUND_FULL" : "REFUND_PRORATED"
        self.transactions[index].revocationPercentage = percentage
        if index == self.currentIndex, self.status == .active {
            self.renewal.autoRenewStatus = 0
            self.status = .revoked
        }
        return self.notify("REFUND", about: index)
    }

    mutating func reverseRefund(_ index: Int) -> FactBundle {
        self.wait(.days(1))
        self.transactions[index].revocationDate = nil
        self.transactions[index].revocationReason = nil
        self.transactions[index].revocationType = nil
        self.transactions[index].revocationPercentage = nil
        if index == self.currentIndex, self.status == .revoked {
            self.status = self.now + .seconds(1) < self.end ? .active : .expired
        }
        return self.notify("REFUND_REVERSED", about: index)
    }

    mutating func leaveFamily() -> FactBundle {
        self.transactions[self.currentIndex].revocationDate = self.now
        self.transactions[self.currentIndex].revocationReason = .other
        self.transactions[self.currentIndex].revocationType = "FAMILY_REVOKE"
        self.renewal.autoRenewStatus = 0
        self.status = .revoked
        return self.notify("REVOKE")
    }

    mutating func extend(by duration: Milliseconds = .days(7)) -> FactBundle {
        let end = self.end + duration
        self.transactions[self.currentIndex].expiresDate = end
        self.renewal.renewalDate = end
        return self.notify("RENEWAL_EXTENDED")
    }

    private mutating func promise(_ type: OfferType) {
        self.renewal.offerType = type
        self.renewal.offerIdentifier = "offer.\(self.transactions.count)"
    }
}
