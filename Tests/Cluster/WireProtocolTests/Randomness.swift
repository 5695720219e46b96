import EventLog
import Subscriptions

/// Values of every shape that the types allow, from a seed: SplitMix64.
struct Randomness: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { self.state = seed }

    mutating func next() -> UInt64 {
        self.state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = self.state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func chance(_ one: Int, in many: Int) -> Bool { Int.random(in: 0..<many, using: &self) < one }

    mutating func pick<Element>(_ elements: [Element]) -> Element { elements.randomElement(using: &self)! }

    mutating func optional<Value>(_ value: (inout Randomness) -> Value) -> Value? {
        self.chance(1, in: 3) ? nil : value(&self)
    }

    mutating func list<Value>(upTo count: Int, _ value: (inout Randomness) -> Value) -> [Value] {
        (0..<Int.random(in: 0...count, using: &self)).map { _ in value(&self) }
    }
}

extension Randomness {
    mutating func integer() -> Int64 {
        switch Int.random(in: 0..<4, using: &self) {
        case 0: self.pick([.min, .min + 1, -1, 0, 1, .max - 1, .max])
        case 1: Int64.random(in: .min ... .max, using: &self)
        case 2: Int64.random(in: 0...5, using: &self)
        default: Int64.random(in: 1_600_000_000_000...1_900_000_000_000, using: &self)
        }
    }

    mutating func moment() -> Moment { Moment(rawValue: self.integer()) }

    mutating func byte() -> UInt8 { UInt8.random(in: 0...255, using: &self) }

    mutating func digest() -> PayloadDigest { PayloadDigest((0..<32).map { _ in self.byte() }) }

    /// Often a word or an identifier, or nearly one.
    mutating func text() -> String {
        switch Int.random(in: 0..<6, using: &self) {
        case 0: self.pick(Self.words)
        case 1: self.pick(Self.oddities)
        case 2: String(UInt64.random(in: 0 ... .max, using: &self))
        case 3: self.uuid()
        case 4: String(String.UnicodeScalarView(self.list(upTo: 40) { $0.pick(Self.scalars) }))
        default: self.pick(["com.example.pro.monthly", "com.example.pro.yearly", "EUR", "USA", "P1M"])
        }
    }

    mutating func uuid() -> String {
        let digits = self.pick(["0123456789abcdef", "0123456789ABCDEF", "0123456789abcdefABCDEF", "0123456789"])
        return [8, 4, 4, 4, 12].map { length in String((0..<length).map { _ in digits.randomElement(using: &self)! }) }
            .joined(separator: "-")
    }

    private static let words = [
        "Production", "Sandbox", "Auto-Renewable Subscription", "Consumable", "PURCHASED", "FAMILY_SHARED", "RENEWAL",
        "REFUND_FULL", "FREE_TRIAL", "PAY_AS_YOU_GO", "MONTHLY", "DID_RENEW", "TEST", "VOLUNTARY", "UPGRADE", "renewed",
    ]

    /// Empty, nearly numbers, nearly UUIDs, and texts that only `==` takes for others.
    private static let oddities = [
        "", "0", "00", "007", "+5", "-1", "18446744073709551615", "18446744073709551616", "1e3", " 1", "\u{0}",
        "0000000-00000-0000-0000-000000000000", "00000000-0000-0000-0000-00000000000g", "é", "e\u{301}",
        "\u{FEFF}", "FAMILY_REVO\u{212A}E", "family_shared", "👩‍👩‍👧", "\u{10FFFF}", "\r\n", "१२३",
    ]

    private static let scalars: [Unicode.Scalar] = [
        "a", "Z", "0", "\u{0}", "\u{7F}", "ß", "\u{301}", "\u{212A}", "漢", "😀",
    ]
}

extension Randomness {
    /// The same with up to four bytes changed.
    mutating func damaged(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...4, using: &self) where !bytes.isEmpty {
            let place = Int.random(in: 0..<bytes.count, using: &self)
            bytes[place] = self.pick([0, 0x7F, 0x80, 0xFF, self.byte()])
        }
        return bytes
    }
}

extension Randomness {
    mutating func key() -> StreamKey {
        StreamKey(
            kind: self.pick(StreamKind.allCases), id: self.pick(["2000000123456789", "mass:1", self.text()]),
            environment: self.environment(), bundleID: BundleID(rawValue: self.pick(["com.example.app", self.text()])))
    }

    mutating func environment() -> AppStoreEnvironment {
        self.pick([.production, .sandbox, .xcode, .localTesting, AppStoreEnvironment(rawValue: self.text())])
    }

    /// Half of the facts belong to the stream, as they do in the log.
    mutating func originalID(under key: StreamKey) -> OriginalTransactionID {
        OriginalTransactionID(rawValue: self.pick([key.id, self.text()]))
    }

    mutating func transaction(under key: StreamKey) -> TransactionInfo {
        var info = TransactionInfo(
            originalTransactionID: self.originalID(under: key), transactionID: TransactionID(rawValue: self.text()),
            bundleID: self.pick([key.bundleID, BundleID(rawValue: self.text())]),
            environment: self.pick([key.environment, self.environment()]), signedDate: self.moment(),
            digest: self.digest())
        info.webOrderLineItemID = self.optional { $0.text() }
        info.productID = self.optional { $0.text() }
        info.subscriptionGroupIdentifier = self.optional { $0.text() }
        info.productType = self.optional { $0.text() }
        info.purchaseDate = self.optional { $0.moment() }
        info.originalPurchaseDate = self.optional { $0.moment() }
        info.expiresDate = self.optional { $0.moment() }
        info.quantity = self.optional { $0.integer() }
        info.appAccountToken = self.optional { $0.text() }
        info.inAppOwnershipType = self.optional { $0.text() }
        info.isUpgraded = self.optional { $0.chance(1, in: 2) }
        info.revocationDate = self.optional { $0.moment() }
        info.revocationReason = self.optional { RevocationReason(rawValue: $0.integer()) }
        info.revocationType = self.optional { $0.text() }
        info.revocationPercentage = self.optional { $0.integer() }
        info.offerType = self.optional { OfferType(rawValue: $0.integer()) }
        info.offerIdentifier = self.optional { $0.text() }
        info.offerDiscountType = self.optional { $0.text() }
        info.offerPeriod = self.optional { $0.text() }
        info.storefront = self.optional { $0.text() }
        info.storefrontID = self.optional { $0.text() }
        info.transactionReason = self.optional { $0.text() }
        info.price = self.optional { $0.integer() }
        info.currency = self.optional { $0.text() }
        info.appTransactionID = self.optional { $0.text() }
        info.previousOriginalTransactionID = self.optional { OriginalTransactionID(rawValue: $0.text()) }
        info.billingPlanType = self.optional { $0.text() }
        info.commitment = self.optional { random in
            var commitment = TransactionInfo.Commitment()
            commitment.billingPeriodNumber = random.optional { $0.integer() }
            commitment.totalBillingPeriods = random.optional { $0.integer() }
            commitment.commitmentExpiresDate = random.optional { $0.moment() }
            commitment.commitmentPrice = random.optional { $0.integer() }
            return commitment
        }
        return info
    }

    mutating func renewal(under key: StreamKey) -> RenewalInfo {
        var info = RenewalInfo(
            originalTransactionID: self.originalID(under: key),
            environment: self.pick([key.environment, self.environment()]), signedDate: self.moment(),
            digest: self.digest())
        info.productID = self.optional { $0.text() }
        info.autoRenewProductID = self.optional { $0.text() }
        info.autoRenewStatus = self.optional { $0.integer() }
        info.expirationIntent = self.optional { ExpirationIntent(rawValue: $0.integer()) }
        info.isInBillingRetryPeriod = self.optional { $0.chance(1, in: 2) }
        info.gracePeriodExpiresDate = self.optional { $0.moment() }
        info.priceIncreaseStatus = self.optional { $0.integer() }
        info.offerType = self.optional { OfferType(rawValue: $0.integer()) }
        info.offerIdentifier = self.optional { $0.text() }
        info.offerDiscountType = self.optional { $0.text() }
        info.offerPeriod = self.optional { $0.text() }
        info.eligibleWinBackOfferIDs = self.optional { $0.list(upTo: 3) { $0.text() } }
        info.renewalDate = self.optional { $0.moment() }
        info.renewalPrice = self.optional { $0.integer() }
        info.currency = self.optional { $0.text() }
        info.recentSubscriptionStartDate = self.optional { $0.moment() }
        info.appAccountToken = self.optional { $0.text() }
        info.appTransactionID = self.optional { $0.text() }
        info.renewalBillingPlanType = self.optional { $0.text() }
        info.commitment = self.optional { random in
            var commitment = RenewalInfo.Commitment()
            commitment.autoRenewProductID = random.optional { $0.text() }
            commitment.autoRenewStatus = random.optional { $0.integer() }
            commitment.renewalBillingPlanType = random.optional { $0.text() }
            commitment.renewalDate = random.optional { $0.moment() }
            commitment.renewalPrice = random.optional { $0.integer() }
            return commitment
        }
        return info
    }

    mutating func status() -> StatusObservation {
        StatusObservation(
            status: AppleStatus(rawValue: self.integer()), asOf: self.moment(), digest: self.digest(),
            unsigned: self.optional { StatusObservation.Unsigned(purchaseDate: $0.optional { $0.moment() }) })
    }

    mutating func notification() -> NotificationIdentity {
        NotificationIdentity(
            uuid: self.text(), type: self.text(), subtype: self.optional { $0.text() },
            consumptionRequestReason: self.optional { $0.text() })
    }

    mutating func record() -> NotificationRecord {
        switch Int.random(in: 0..<4, using: &self) {
        case 0:
            var summary = NotificationRecord.MassExtensionSummary(requestIdentifier: self.text())
            summary.productID = self.optional { $0.text() }
            summary.storefrontCountryCodes = self.optional { $0.list(upTo: 3) { $0.text() } }
            summary.succeededCount = self.optional { $0.integer() }
            summary.failedCount = self.optional { $0.integer() }
            return .massExtension(summary)
        case 1:
            var token = NotificationRecord.ExternalPurchaseToken(externalPurchaseID: self.text())
            token.tokenCreationDate = self.optional { $0.moment() }
            token.tokenType = self.optional { $0.text() }
            token.tokenExpirationDate = self.optional { $0.moment() }
            return .externalPurchase(token)
        case 2:
            var data = NotificationRecord.ConsentRescinded(appTransactionID: self.text())
            data.originalPurchaseDate = self.optional { $0.moment() }
            data.originalApplicationVersion = self.optional { $0.text() }
            data.originalPlatform = self.optional { $0.text() }
            return .consentRescinded(data)
        default:
            return .test
        }
    }

    mutating func event(under key: StreamKey) -> SubscriptionEvent {
        let facts = Facts(
            transactions: self.list(upTo: 3) { $0.transaction(under: key) },
            renewal: self.optional { $0.renewal(under: key) },
            status: self.optional { $0.status() })
        let link = self.link()
        let customer = link == nil ? self.optional { $0.customerRecord() } : nil
        let registration = link == nil && customer == nil ? self.optional { $0.registration() } : nil
        return SubscriptionEvent(
            facts: facts, source: self.pick(EventSource.allCases),
            changes: [Change(rawValue: self.text())] + self.list(upTo: 3) { Change(rawValue: $0.text()) },
            signedDate: self.optional { $0.moment() }, effectiveAt: self.optional { $0.moment() },
            notification: self.optional { $0.notification() }, record: self.optional { $0.record() },
            link: link, customer: customer, registration: registration,
            reevaluation: self.optional { $0.reevaluation() },
            successor: self.optional { $0.successor() }, detail: self.optional { $0.text() },
            contentDigest: self.optional { $0.digest() })
    }

    mutating func bundle(under key: StreamKey) -> FactBundle {
        let event = self.event(under: key)
        let link = self.optional { $0.linkRequest() }
        let customer = link == nil ? self.optional { $0.customerRequest() } : nil
        var bundle = FactBundle(
            facts: event.facts, source: event.source,
            dedupKey: self.list(upTo: 32) { $0.byte() },
            contentDigest: event.contentDigest ?? self.digest(), signedDate: event.signedDate ?? self.moment(),
            notification: event.notification, record: event.record, link: link,
            customer: customer)
        if link == nil, customer == nil {
            bundle.registration = self.optional { RegistrationRequest($0.registration(), at: $0.version()) }
        }
        bundle.reevaluation = self.optional {
            RulesMark(
                rules: .random(in: 0 ... .max, using: &$0), catalog: .random(in: 0 ... .max, using: &$0),
                history: .random(in: 0 ... .max, using: &$0))
        }
        bundle.successor = self.optional { $0.successor() }
        bundle.review = self.optional { $0.review() }
        bundle.erasure = self.optional { $0.erasure() }
        return bundle
    }
}

extension Randomness {
    mutating func state(under key: StreamKey) -> StreamState {
        let facts =
            KeptFacts(
                periods: self.list(upTo: 4) { random in
                    KeptPeriod(
                        info: random.transaction(under: key), vouched: random.optional { $0.end() },
                        longestExpiresDate: random.optional { $0.moment() },
                        versions: random.optional { random in [random.version()] + random.list(upTo: 3) { $0.version() }
                        })
                },
                renewal: self.optional { random in
                    KeptRenewal(
                        info: random.renewal(under: key),
                        vouched: random.optional {
                            KeptRenewal.Vouched(signedDate: $0.moment(), endsAccess: $0.chance(1, in: 2))
                        })
                },
                status: self.optional { random in
                    KeptStatus(
                        observation: random.status(),
                        period: random.optional { PeriodID(purchaseDate: $0.moment(), key: $0.text()) },
                        expiresDate: random.optional { $0.moment() },
                        revocationDate: random.optional { $0.moment() })
                })
        return StreamState(
            key: key, facts: facts, leads: self.leads(facts.periods.map(\.info)),
            confirmedDay: self.optional { $0.integer() }, hasUnrecordedFacts: self.chance(1, in: 2))
    }

    private mutating func version() -> KeptVersion {
        let revocation = self.optional { random in
            TransactionInfo.Revocation(
                date: random.moment(), reason: random.optional { RevocationReason(rawValue: $0.integer()) },
                type: random.optional { $0.text() }, percentage: random.optional { $0.integer() })
        }
        return KeptVersion(
            transactionID: TransactionID(rawValue: self.text()), signedDate: self.moment(), digestStart: self.next(),
            revocation: revocation,
            vouched: self.optional {
                KeptVersion.Vouched(signedDate: $0.moment(), isRevoked: $0.chance(1, in: 2))
            },
            revocationDates: Set(
                [revocation?.date].compactMap(\.self) + self.list(upTo: revocation == nil ? 2 : 1) { $0.moment() }
            ).sorted(by: >))
    }

    private mutating func end() -> PeriodEnd {
        PeriodEnd(
            signedDate: self.moment(), expiresDate: self.optional { $0.moment() },
            revocationDate: self.optional { $0.moment() })
    }
}
