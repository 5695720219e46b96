import Entitlements
import Subscriptions
import Testing

@Suite struct CohortCodeTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let code: String
        let state: LifecycleState
        var entitled = false
        var change: @Sendable (inout SubscriptionSnapshot) -> Void = { _ in }
        var testDescription: String { self.code }
    }

    typealias Offer = SubscriptionSnapshot.Offer

    @Test(arguments: [
        Row(code: "5.0", state: .subscribed, entitled: true),
        Row(code: "5.0", state: .subscribed, entitled: true) { $0.awaitingRenewal = true },
        Row(code: "5.0", state: .subscribed, entitled: true) { $0.autoRenew = true },
        Row(code: "4.0", state: .subscribed, entitled: true) { $0.autoRenew = false },
        Row(code: "5.0", state: .subscribed, entitled: true) {
            $0.autoRenew = false
            $0.expiresDate = Moment(milliseconds: 1)
            $0.commitment = .init(
                billingPeriodNumber: 1, totalBillingPeriods: 12, expiresDate: Moment(milliseconds: 2), autoRenew: nil)
        },
        Row(code: "3.0", state: .owned, entitled: true),
        Row(code: "1.0", state: .grace, entitled: true),
        Row(code: "-1.0", state: .retry),
        Row(code: "-2.0", state: .expired) { $0.expirationIntent = .billingError },
        Row(code: "-3.0", state: .expired) { $0.expirationIntent = .priceIncreaseNotAccepted },
        Row(code: "-4.0", state: .expired) { $0.expirationIntent = .productNotForSale },
        Row(code: "-5.0", state: .expired) { $0.expirationIntent = .customerCancelled },
        Row(code: "-5.0", state: .expired),
        Row(code: "-5.0", state: .owned),
        Row(code: "-6.0", state: .revoked) { $0.isUpgraded = true },
        Row(code: "-7.0", state: .revoked) {
            $0.revocation = .init(
                date: Moment(milliseconds: 1), reason: .appIssue, type: "REFUND_FULL", percentage: nil)
        },
        Row(code: "-8.0", state: .revoked) {
            $0.revocation = .init(date: Moment(milliseconds: 1), reason: .other, type: nil, percentage: nil)
        },
        Row(code: "-9.0", state: .revoked) {
            $0.revocation = .init(
                date: Moment(milliseconds: 1), reason: .appIssue, type: "FAMILY_REVOKE", percentage: nil)
        },
        Row(code: "-9.0", state: .revoked) { $0.ownership = "FAMILY_SHARED" },
        Row(code: "5.1", state: .subscribed, entitled: true) {
            $0.offer = Offer(type: .introductory, id: nil, discount: "FREE_TRIAL")
        },
        Row(code: "5.2", state: .subscribed, entitled: true) {
            $0.offer = Offer(type: .introductory, id: nil, discount: "PAY_UP_FRONT")
        },
        Row(code: "5.3", state: .subscribed, entitled: true) {
            $0.offer = Offer(type: .promotional, id: "p", discount: nil)
        },
        Row(code: "5.4", state: .subscribed, entitled: true) {
            $0.offer = Offer(type: .offerCode, id: "c", discount: nil)
        },
        Row(code: "-1.5", state: .retry) { $0.offer = Offer(type: .winBack, id: "w", discount: nil) },
        Row(code: "5.0", state: .subscribed, entitled: true) {
            $0.offer = Offer(type: OfferType(rawValue: 9), id: nil, discount: nil)
        },
    ])
    func codes(_ row: Row) {
        let key = StreamKey(kind: .subscription, id: "1", environment: .production, bundleID: BundleID(rawValue: "b"))
        var snapshot = SubscriptionSnapshot(key: key, state: row.state, entitled: row.entitled, validUntil: nil)
        row.change(&snapshot)
        #expect(CohortCode(snapshot).description == row.code)
        #expect(row.code.hasPrefix("-") != row.entitled, "positive has access")
    }

    @Test(arguments: [LifecycleState.owned, .revoked])
    func `a consumable counts for nothing, in its rows too`(_ state: LifecycleState) {
        let key = StreamKey(kind: .purchase, id: "1", environment: .production, bundleID: BundleID(rawValue: "b"))
        var snapshot = SubscriptionSnapshot(key: key, state: state, entitled: false, validUntil: nil)
        snapshot.productType = "Consumable"
        snapshot.offer = Offer(type: .promotional, id: "p", discount: nil)
        #expect(CohortCode(snapshot) == .nothing)
    }

    @Test func nothing() { #expect(CohortCode.nothing.description == "0.0") }
}
