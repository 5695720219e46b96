import Subscriptions

/// Facts by hand. Day 0 is 2026-05-01; a transaction is signed when it is bought, unless said otherwise.
let day0 = Moment(milliseconds: 1_777_593_600_000)

func day(_ days: Double) -> Moment { day0 + Milliseconds(rawValue: Int64(days * 86_400_000)) }

let oneMillisecond = Milliseconds(rawValue: 1)

extension StreamKey {
    static let subscription = StreamKey(
        kind: .subscription, id: "100", environment: .production, bundleID: BundleID(rawValue: "com.example.app"))
    static let sandbox = StreamKey(
        kind: .subscription, id: "100", environment: .sandbox, bundleID: BundleID(rawValue: "com.example.app"))
    static let purchase = StreamKey(
        kind: .purchase, id: "100", environment: .production, bundleID: BundleID(rawValue: "com.example.app"))
}

func digest(_ number: Int) -> PayloadDigest {
    PayloadDigest((0..<32).map { UInt8(truncatingIfNeeded: number >> (8 * ($0 % 4))) })
}

/// A transaction from `start` to `end`, in days.
func transaction(
    _ id: Int, from start: Double?, to end: Double?, signed: Double? = nil, product: String = "pro.monthly",
    _ change: (inout TransactionInfo) -> Void = { _ in }
) -> TransactionInfo {
    var info = TransactionInfo(
        originalTransactionID: OriginalTransactionID(rawValue: "100"), transactionID: TransactionID(rawValue: "\(id)"),
        bundleID: StreamKey.subscription.bundleID, environment: .production,
        signedDate: day(signed ?? start ?? 0), digest: digest(id))
    info.webOrderLineItemID = "w\(id)"
    info.productID = product
    info.productType = "Auto-Renewable Subscription"
    info.purchaseDate = start.map(day)
    info.originalPurchaseDate = day0
    info.expiresDate = end.map(day)
    info.inAppOwnershipType = "PURCHASED"
    info.transactionReason = id == 100 ? "PURCHASE" : "RENEWAL"
    change(&info)
    return info
}

func renewal(signed: Double, autoRenew: Bool? = true, _ change: (inout RenewalInfo) -> Void = { _ in }) -> RenewalInfo {
    var info = RenewalInfo(
        originalTransactionID: OriginalTransactionID(rawValue: "100"), environment: .production,
        signedDate: day(signed), digest: digest(Int(signed * 1_000)))
    info.productID = "pro.monthly"
    info.autoRenewProductID = "pro.monthly"
    info.autoRenewStatus = autoRenew.map { $0 ? 1 : 0 }
    change(&info)
    return info
}

func status(_ number: Int64, asOf: Double, unsigned: StatusObservation.Unsigned? = nil) -> StatusObservation {
    StatusObservation(
        status: AppleStatus(rawValue: number), asOf: day(asOf), digest: digest(Int(asOf * 1_000)), unsigned: unsigned)
}

func bundle(
    _ source: EventSource, _ transactions: [TransactionInfo] = [], _ renewal: RenewalInfo? = nil,
    _ status: StatusObservation? = nil, signed: Moment? = nil
) -> FactBundle {
    let dates = transactions.map(\.signedDate) + [renewal?.signedDate, status?.asOf].compactMap(\.self)
    let date = signed ?? dates.max() ?? day0
    var bundle = FactBundle(
        facts: Facts(transactions: transactions, renewal: renewal, status: status), source: source, dedupKey: [],
        contentDigest: digest(0), signedDate: date)
    if source == .notification { bundle.notification = NotificationIdentity(uuid: "u", type: "UNKNOWN_TYPE") }
    return bundle
}

extension StreamState {
    /// The fold of bundles that were recorded as they came.
    init(_ key: StreamKey = .subscription, _ bundles: [FactBundle]) {
        self.init(key: key)
        for bundle in bundles { self.apply(SubscriptionEvent(bundle)) }
    }

    /// Takes a bundle in as an owner does, and returns what it records.
    mutating func receive(_ bundle: FactBundle, rules: DerivationRules = DerivationRules()) -> [SubscriptionEvent] {
        let events = self.decide(bundle, rules: rules)
        if events.isEmpty { self = self.merging(bundle.facts, source: bundle.source) }
        for event in events { self.apply(event) }
        return events
    }
}

extension SubscriptionEvent {
    init(_ bundle: FactBundle) {
        self.init(
            facts: bundle.facts, source: bundle.source, changes: [.noted], signedDate: bundle.signedDate,
            notification: bundle.notification)
    }
}
