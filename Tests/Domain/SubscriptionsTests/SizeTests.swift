import Subscriptions
import Testing

/// A state stays below 4 KB whatever the history.
@Suite struct SizeTests {
    @Test("the largest state that payloads can make")
    func largest() {
        var state = StreamState(key: .subscription)
        for number in 0..<50 {
            let bundle = Self.largestBundle(number)
            _ = state.receive(bundle)
        }
        #expect(state.facts.periods.count == 4)
        #expect(Self.encodedBound(state) < 4_096)
    }

    @Test("what is longer than Apple's own limits is not kept, and is not cut to something else")
    func tooLong() {
        let long = transaction(100, from: 0, to: 30) {
            $0.productID = String(repeating: "p", count: 101)
            $0.offerIdentifier = String(repeating: "o", count: 64)
            $0.offerType = .promotional
        }
        let snapshot = StreamState(.subscription, [bundle(.notification, [long])]).snapshot(
            at: day(1), rules: DerivationRules())
        #expect(snapshot?.productID == nil)
        #expect(snapshot?.offer?.id?.count == 64)
    }

    private static func text(_ count: Int) -> String { String(repeating: "x", count: count) }

    private static func largestBundle(_ number: Int) -> FactBundle {
        let start = Double(number) * 30
        let transaction = transaction(100, from: start, to: start + 30) { info in
            info.transactionID = TransactionID(rawValue: String(String("\(number)" + self.text(128)).prefix(128)))
            (info.webOrderLineItemID, info.productID, info.subscriptionGroupIdentifier) = (
                self.text(24), self.text(100), self.text(24)
            )
            (info.productType, info.appAccountToken, info.inAppOwnershipType) = (
                self.text(28), self.text(36), self.text(16)
            )
            (info.isUpgraded, info.revocationDate, info.revocationType) = (true, day(start), self.text(20))
            (info.revocationReason, info.revocationPercentage) = (.other, .max)
            (info.offerType, info.offerIdentifier, info.offerDiscountType) = (
                .init(rawValue: .max), self.text(64), self.text(16)
            )
            (info.storefront, info.appTransactionID) = (self.text(4), self.text(32))
            info.previousOriginalTransactionID = OriginalTransactionID(rawValue: self.text(32))
            (info.transactionReason, info.billingPlanType, info.currency) = (
                self.text(999), self.text(999), self.text(999)
            )
            var commitment = TransactionInfo.Commitment()
            (commitment.billingPeriodNumber, commitment.totalBillingPeriods) = (.max, .max)
            (commitment.commitmentExpiresDate, commitment.commitmentPrice) = (day(999), .max)
            info.commitment = commitment
        }
        let renewal = renewal(signed: start) { info in
            (info.productID, info.autoRenewProductID, info.offerIdentifier) = (
                self.text(100), self.text(100), self.text(64)
            )
            (info.offerDiscountType, info.offerPeriod, info.currency) = (self.text(16), self.text(999), self.text(4))
            info.eligibleWinBackOfferIDs = (0..<20).map { _ in self.text(48) }
            (info.appAccountToken, info.appTransactionID) = (self.text(36), self.text(32))
            (info.renewalPrice, info.renewalBillingPlanType) = (.max, self.text(999))
        }
        return bundle(.notification, [transaction], renewal, status(1, asOf: start))
    }

    /// Two bytes of tag and length for every field, ten for every number, as a varint encoding may need.
    private static func encodedBound(_ state: StreamState) -> Int {
        let transactions = state.facts.periods.map { kept in
            let info = kept.info
            let texts: [String?] = [
                info.transactionID.rawValue, info.webOrderLineItemID, info.productID, info.subscriptionGroupIdentifier,
                info.productType, info.appAccountToken, info.inAppOwnershipType, info.revocationType,
                info.offerIdentifier,
                info.offerDiscountType, info.storefront, info.appTransactionID,
                info.previousOriginalTransactionID?.rawValue,
                info.transactionReason, info.billingPlanType, info.currency, info.storefrontID, info.offerPeriod,
            ]
            return texts.compactMap { $0.map { $0.utf8.count + 2 } }.reduce(0, +) + 34 + 4 * 9 + 5 * 8 + 4 * 8
        }
        let renewal = state.facts.renewal.map { kept in
            let info = kept.info
            let texts: [String?] = [
                info.productID, info.autoRenewProductID, info.offerIdentifier, info.offerDiscountType, info.offerPeriod,
                info.currency, info.appAccountToken, info.appTransactionID, info.renewalBillingPlanType,
            ]
            return (texts + (info.eligibleWinBackOfferIDs ?? [])).compactMap { $0.map { $0.utf8.count + 2 } }.reduce(
                0, +) + 34 + 100
        }
        return transactions.reduce(0, +) + (renewal ?? 0) + 34 + 130 + 40
    }
}
