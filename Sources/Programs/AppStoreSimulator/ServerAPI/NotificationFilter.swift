import Subscriptions

/// Which notifications a client wants.
struct NotificationFilter {
    let start: Moment
    let end: Moment
    let type: String?
    let subtype: String?
    let transactionID: String?
    let onlyFailures: Bool
    /// Differs when the request does.
    let fingerprint: UInt64

    /// By type, the subtypes that go with it. A filter may name a type alone.
    private static let types: [String: Set<String>] = [
        "SUBSCRIBED": ["INITIAL_BUY", "RESUBSCRIBE"],
        "DID_RENEW": ["BILLING_RECOVERY"],
        "DID_FAIL_TO_RENEW": ["GRACE_PERIOD"],
        "GRACE_PERIOD_EXPIRED": [],
        "EXPIRED": ["VOLUNTARY", "BILLING_RETRY", "PRICE_INCREASE", "PRODUCT_NOT_FOR_SALE"],
        "DID_CHANGE_RENEWAL_STATUS": ["AUTO_RENEW_ENABLED", "AUTO_RENEW_DISABLED"],
        "DID_CHANGE_RENEWAL_PREF": ["UPGRADE", "DOWNGRADE"],
        "OFFER_REDEEMED": ["UPGRADE", "DOWNGRADE"],
        "PRICE_INCREASE": ["PENDING", "ACCEPTED"],
        "REFUND": [], "REFUND_DECLINED": [], "REFUND_REVERSED": [], "REVOKE": [],
        "CONSUMPTION_REQUEST": [], "RENEWAL_EXTENDED": [],
        "RENEWAL_EXTENSION": ["SUMMARY", "FAILURE"],
        "ONE_TIME_CHARGE": [],
        "EXTERNAL_PURCHASE_TOKEN": ["CREATED", "ACTIVE_TOKEN_REMINDER", "UNREPORTED"],
        "RESCIND_CONSENT": [], "METADATA_UPDATE": [], "MIGRATION": [],
        "PRICE_CHANGE": [], "TEST": [],
    ]

    /// - Parameter length: how far the history goes back.
    init(_ body: RequestBody, now: Moment, goesBack length: Milliseconds) throws(StoreAPIError) {
        guard let start = body.integer("startDate"), start >= 0 else { throw .badStartDate }
        guard let end = body.integer("endDate"), end >= 0 else { throw .badEndDate }
        guard start >= (now - length).milliseconds else { throw .startDateTooFarBack }
        guard start < end else { throw .startAfterEnd }
        self.start = Moment(milliseconds: start)
        self.end = min(Moment(milliseconds: end), now)
        self.type = try Self.text("notificationType", in: body, else: .badNotificationType)
        self.subtype = try Self.text("notificationSubtype", in: body, else: .badNotificationType)
        // The other name is the deprecated one.
        let name = body.has("transactionId") ? "transactionId" : "originalTransactionId"
        self.transactionID = try Self.text(name, in: body, else: .badTransactionID)
        guard self.type == nil || self.transactionID == nil else { throw .severalFilters }
        try Self.check(self.type, self.subtype)
        if body.has("onlyFailures"), body.bool("onlyFailures") == nil { throw .badRequest }
        self.onlyFailures = body.bool("onlyFailures") ?? false
        let words = [self.type, self.subtype, self.transactionID].map { $0 ?? "-" }
        self.fingerprint = "\(start) \(end) \(words) \(self.onlyFailures)".utf8
            .reduce(14_695_981_039_346_656_037) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
    }

    func includes(_ record: NotificationHistory.Record) -> Bool {
        let notification = record.dispatch.notification
        if self.onlyFailures, record.isDelivered { return false }
        if let type, notification.type != type { return false }
        if let subtype, notification.subtype != subtype { return false }
        return true
    }

    private static func text(
        _ name: String, in body: RequestBody, else error: StoreAPIError
    ) throws(StoreAPIError) -> String? {
        guard body.has(name) else { return nil }
        guard let text = body.text(name) else { throw error }
        return text
    }

    private static func check(_ type: String?, _ subtype: String?) throws(StoreAPIError) {
        guard let type else {
            guard subtype == nil else { throw .badNotificationType }
            return
        }
        guard let known = self.types[type], subtype.map({ known.contains($0) }) ?? true else {
            throw .badNotificationType
        }
    }
}
