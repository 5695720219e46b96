import Subscriptions
import Testing
import WireProtocol

/// The figures that the size of a store rests on.
@Suite struct SizeTests {
    @Test("a usual notification takes at most 400 bytes")
    func usualEvent() throws {
        #expect(try Samples.renewed().protoBytes(key: Samples.key).count <= 400)
    }

    @Test("a usual state takes at most 800 bytes")
    func usualState() throws {
        #expect(StoredState(Samples.state()).protoBytes().count <= 800)
    }

    @Test("nor does it with four copies of each period, all of them refunded, as Apple writes them")
    func largestStateWithCopies() throws {
        // given
        var state = StreamState(key: Samples.key)
        for number in 0..<8 as Range<UInt8> {
            for copy in 0..<6 as Range<Int64> {
                var transaction = LargestFacts.transaction(number)
                let id = 9_000_000_000_000_000_000 + 10 * Int64(number) + copy
                transaction.transactionID = TransactionID(rawValue: String(id))
                transaction.signedDate = Moment(rawValue: 4_000_000_000_000 + copy)
                for revoked in [transaction.signedDate - .days(2), transaction.signedDate - .days(1)] {
                    transaction.revocationDate = revoked
                    transaction.revocationReason = .appIssue
                    transaction.revocationType = "ASSIGNMENT_REVOKE"
                    transaction.revocationPercentage = 100_000
                    transaction.signedDate = transaction.signedDate + .days(1)
                    transaction.digest = Samples.digest(number * 16 + UInt8(copy))
                    let facts = Facts(
                        transactions: [transaction], renewal: LargestFacts.renewal(number),
                        status: LargestFacts.status(number))
                    let source: EventSource = revoked < transaction.signedDate - .days(2) ? .notification : .client
                    state.apply(SubscriptionEvent(facts: facts, source: source, changes: [.confirmed]))
                }
            }
        }
        // then
        #expect(state.facts.periods.map(\.versions.count) == [4, 4, 4, 4])
        let size = StoredState(state).protoBytes().count
        #expect(size < 4_096, "\(size) bytes")
    }

    @Test("a state takes less than 4 KB with everything said, no two texts alike, and each as long as a state keeps it")
    func largestState() throws {
        // given
        var state = StreamState(key: Samples.key)
        for number in 0..<8 as Range<UInt8> {
            let facts = Facts(
                transactions: [LargestFacts.transaction(number)], renewal: LargestFacts.renewal(number),
                status: LargestFacts.status(number))
            state.apply(
                SubscriptionEvent(
                    facts: facts, source: .notification, changes: [.confirmed], signedDate: .distantFuture))
        }
        // then
        #expect(StoredState(state).protoBytes().count < 4_096)
        // when: what people add
        func customer(_ number: UInt8) -> CustomerID { CustomerID(stored: LargestFacts.text(128, number)) }
        let links = (0..<16 as Range<UInt8>).map { LinkRecord($0 < 10 ? .shared : .conflicted, customer($0)) }
        let link = LinkRecord(.linked, customer(99), place: .lowest)
        for record in [link] + links {
            state.apply(SubscriptionEvent(source: .person, changes: [.linked], link: record))
        }
        // then
        #expect(state.leads.sharers.count == 10 && state.leads.conflicts.count == 4)
        #expect(StoredState(state).protoBytes().count < 4_096 + 15 * 136)
    }
}

/// Ids are of 20 digits, one more than Apple's longest; all else is as long as a state takes it.
private enum LargestFacts {
    static func transaction(_ number: UInt8) -> TransactionInfo {
        var info = TransactionInfo(
            originalTransactionID: OriginalTransactionID(rawValue: Samples.key.id),
            transactionID: TransactionID(rawValue: Self.id(number)), bundleID: Samples.key.bundleID,
            environment: Samples.key.environment, signedDate: .distantFuture, digest: Samples.digest(number))
        info.webOrderLineItemID = Self.id(number)
        info.productID = Self.text(100, number)
        info.subscriptionGroupIdentifier = Self.id(number)
        info.productType = Self.text(32, number)
        info.purchaseDate = .distantFuture - Milliseconds(rawValue: Int64(number))
        info.originalPurchaseDate = .distantFuture
        info.expiresDate = .distantFuture
        info.appAccountToken = Self.text(36, number)
        info.inAppOwnershipType = Self.text(16, number)
        info.isUpgraded = true
        info.revocationDate = .distantFuture
        info.revocationReason = RevocationReason(rawValue: .min)
        info.revocationType = Self.text(20, number)
        info.revocationPercentage = .min
        info.offerType = OfferType(rawValue: .min)
        info.offerIdentifier = Self.text(64, number)
        info.offerDiscountType = Self.text(16, number)
        info.storefront = Self.text(4, number)
        info.appTransactionID = Self.id(number)
        info.previousOriginalTransactionID = OriginalTransactionID(rawValue: Self.id(number))
        info.commitment = TransactionInfo.Commitment()
        info.commitment?.billingPeriodNumber = .min
        info.commitment?.totalBillingPeriods = .min
        info.commitment?.commitmentExpiresDate = .distantFuture
        return info
    }

    static func renewal(_ number: UInt8) -> RenewalInfo {
        var info = RenewalInfo(
            originalTransactionID: OriginalTransactionID(rawValue: Samples.key.id),
            environment: Samples.key.environment, signedDate: .distantFuture, digest: Samples.digest(number))
        info.productID = Self.text(99, number)
        info.autoRenewProductID = Self.text(98, number)
        info.autoRenewStatus = .min
        info.expirationIntent = ExpirationIntent(rawValue: .min)
        info.isInBillingRetryPeriod = true
        info.gracePeriodExpiresDate = .distantFuture
        info.priceIncreaseStatus = .min
        info.offerType = OfferType(rawValue: .min)
        info.offerIdentifier = Self.text(64, number)
        info.offerDiscountType = Self.text(16, number)
        info.eligibleWinBackOfferIDs = (62...64).map { Self.text($0, number) }
        info.renewalDate = .distantFuture
        info.renewalPrice = .min
        info.currency = Self.text(4, number)
        info.recentSubscriptionStartDate = .distantFuture
        info.appAccountToken = Self.text(35, number)
        info.appTransactionID = Self.id(number)
        info.commitment = RenewalInfo.Commitment()
        info.commitment?.autoRenewStatus = .min
        return info
    }

    static func status(_ number: UInt8) -> StatusObservation {
        StatusObservation(
            status: AppleStatus(rawValue: .min), asOf: .distantFuture, digest: Samples.digest(number),
            unsigned: StatusObservation.Unsigned(purchaseDate: .distantFuture))
    }

    static func text(_ count: Int, _ number: UInt8) -> String {
        String(decoding: [UInt8](repeating: UInt8(ascii: "a") + number, count: count), as: UTF8.self)
    }

    private static func id(_ number: UInt8) -> String { String(repeating: String(9 - number), count: 20) }
}
