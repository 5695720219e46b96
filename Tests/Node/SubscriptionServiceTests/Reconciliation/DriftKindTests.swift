import Reconciliation
import Subscriptions
import Testing

@Suite struct DriftKindTests {
    private static let now = Node.start

    private static func snapshot(
        _ state: LifecycleState = .subscribed, _ change: (inout SubscriptionSnapshot) -> Void = { _ in }
    ) -> SubscriptionSnapshot {
        let key = StreamKey(
            kind: .subscription, id: "1", environment: .production, bundleID: TestAppStore.bundles[0])
        var snapshot = SubscriptionSnapshot(
            key: key, state: state, entitled: [.subscribed, .grace].contains(state), validUntil: nil)
        snapshot.productID = "pro.monthly"
        snapshot.renewalProductID = "pro.monthly"
        snapshot.autoRenew = true
        snapshot.transactionID = TransactionID(rawValue: "11")
        snapshot.expiresDate = Self.now + .days(1)
        change(&snapshot)
        return snapshot
    }

    private static func refund(_ snapshot: inout SubscriptionSnapshot) {
        snapshot.revocation = SubscriptionSnapshot.Revocation(
            date: Self.now, reason: nil, type: nil, percentage: nil)
    }

    @Test(
        arguments: [
            (nil, Self.snapshot(), .unknownSubscription),
            (Self.snapshot(), Self.snapshot(.revoked, Self.refund), .missedRevocation),
            (Self.snapshot(.revoked, Self.refund), Self.snapshot(), .missedRefundReversal),
            (Self.snapshot(.revoked, Self.refund), Self.snapshot(.expired), .missedRefundReversal),
            (
                Self.snapshot(),
                Self.snapshot {
                    $0.expiresDate = Self.now + .days(31)
                    $0.transactionID = TransactionID(rawValue: "12")
                }, .missedRenewal
            ),
            (
                Self.snapshot(.revoked, Self.refund),
                Self.snapshot {
                    $0.expiresDate = Self.now + .days(31)
                    $0.transactionID = TransactionID(rawValue: "12")
                }, .missedRenewal
            ),
            (Self.snapshot(), Self.snapshot { $0.expiresDate = Self.now + .days(5) }, .missedExtension),
            (Self.snapshot(), Self.snapshot { $0.expiresDate = Self.now + .hours(5) }, .missedShortening),
            (Self.snapshot(.retry), Self.snapshot(.grace), .missedReturn),
            (Self.snapshot(), Self.snapshot(.expired), .missedExpiry),
            (Self.snapshot(.grace), Self.snapshot(.retry), .missedBillingTrouble),
            (
                Self.snapshot(.grace) { $0.gracePeriodExpiresDate = Self.now + .days(3) },
                Self.snapshot(.grace) { $0.gracePeriodExpiresDate = Self.now + .days(16) }, .missedGraceDate
            ),
            (Self.snapshot(), Self.snapshot { $0.autoRenew = false }, .missedAutoRenewChange),
            (Self.snapshot(), Self.snapshot { $0.renewalProductID = "pro.yearly" }, .missedProductChange),
            (Self.snapshot(), Self.snapshot(.subscribed, Self.refund), .missedRefundDetail),
        ] as [(SubscriptionSnapshot?, SubscriptionSnapshot, DriftKind)])
    func namesWhatDiffers(
        _ before: SubscriptionSnapshot?, _ after: SubscriptionSnapshot, _ kind: DriftKind
    ) {
        #expect(DriftKind(from: before, to: after, at: Self.now) == kind)
    }

    @Test func aGraceDateThatHasPassedOrGoneIsNoDifference() {
        // given
        let passed = Self.snapshot(.retry) { $0.gracePeriodExpiresDate = Self.now }
        let earlier = Self.snapshot(.retry) { $0.gracePeriodExpiresDate = Self.now - .days(3) }
        let gone = Self.snapshot(.retry)
        // then
        for (before, after) in [(passed, gone), (gone, passed), (passed, earlier), (passed, passed)] {
            #expect(DriftKind(from: before, to: after, at: Self.now) == nil)
        }
    }

    @Test func whatIsNotKnownAnyMoreIsNotCounted() {
        #expect(DriftKind(from: Self.snapshot(), to: nil, at: Self.now) == nil)
    }
}
