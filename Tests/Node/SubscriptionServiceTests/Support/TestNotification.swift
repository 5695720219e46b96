import PerennialTestSupport
import Subscriptions

/// One notification to be signed. Each has a UUID of its own unless it is a copy.
struct TestNotification: Sendable {
    var id = "2000000000000001"
    var type = "SUBSCRIBED"
    var subtype: String?
    var uuid: String
    var signed: Moment
    var environment = AppStoreEnvironment.production
    var bundle = TestAppStore.bundles[0]
    /// nil for TEST.
    var period: Period?

    struct Period: Sendable {
        var number = 1
        var purchase: Moment
        var expires: Moment
        var status = 1
        var autoRenew = true
        var isRetrying = false
        var grace: Moment?
        var revocation: Moment?
        var expirationIntent: Int?
        var appAccountToken: String?
        var appTransactionID: String?
        /// Apple's `previousOriginalTransactionId`.
        var predecessor: String?
        /// In thousandths of a currency that no payload names.
        var price: Int64?

        func transactionJSON(_ notification: TestNotification) -> String {
            let token = self.appAccountToken.map { "\"appAccountToken\":\"\($0)\"," } ?? ""
            let account = self.appTransactionID.map { "\"appTransactionId\":\"\($0)\"," } ?? ""
            let predecessor = self.predecessor.map { "\"previousOriginalTransactionId\":\"\($0)\"," } ?? ""
            let price = self.price.map { "\"price\":\($0)," } ?? ""
            let revocation =
                self.revocation.map { "\"revocationDate\":\($0.milliseconds),\"revocationReason\":0," } ?? ""
            return """
                {"transactionId":"\(notification.id)\(self.number)","originalTransactionId":"\(notification.id)",\
                "bundleId":"\(notification.bundle.rawValue)","productId":"pro.monthly",\
                "subscriptionGroupIdentifier":"21","type":"Auto-Renewable Subscription","quantity":1,\
                "purchaseDate":\(self.purchase.milliseconds),"originalPurchaseDate":\(self.purchase.milliseconds),\
                "expiresDate":\(self.expires.milliseconds),\(token)\(account)\(predecessor)\(price)\(revocation)"inAppOwnershipType":"PURCHASED",\
                "environment":"\(notification.environment.rawValue)","signedDate":\(notification.signed.milliseconds)}
                """
        }

        func renewalJSON(_ notification: TestNotification) -> String {
            let grace = self.grace.map { "\"gracePeriodExpiresDate\":\($0.milliseconds)," } ?? ""
            let retrying = self.isRetrying ? "\"isInBillingRetryPeriod\":true," : ""
            let intent = self.expirationIntent.map { "\"expirationIntent\":\($0)," } ?? ""
            return """
                {"originalTransactionId":"\(notification.id)","productId":"pro.monthly",\
                "autoRenewProductId":"pro.monthly","autoRenewStatus":\(self.autoRenew ? 1 : 0),\
                "environment":"\(notification.environment.rawValue)",\(grace)\(retrying)\(intent)\
                "renewalDate":\(self.expires.milliseconds),"signedDate":\(notification.signed.milliseconds)}
                """
        }
    }
}

/// The life of one monthly subscription, told by notifications in the order in which Apple signed them.
struct TestSubscription {
    static let month = Milliseconds.days(30)

    let id: String
    var bundle = TestAppStore.bundles[0]
    private(set) var now: Moment
    private var period: TestNotification.Period
    private var count = 0

    init(id: String, from start: Moment, bundle: BundleID = TestAppStore.bundles[0]) {
        self.id = id
        self.bundle = bundle
        self.now = start
        self.period = TestNotification.Period(purchase: start, expires: start + Self.month)
    }

    var end: Moment { self.period.expires }

    private mutating func tell(_ type: String, _ subtype: String? = nil) -> TestNotification {
        self.count += 1
        // Unique for the id, the app and the place in its life.
        let app = TestAppStore.bundles.firstIndex(of: self.bundle) ?? 9
        let digits = String(self.count + 1_000_000_000_000).dropFirst()
        let tail = String(self.id.suffix(8))
        let head = String(repeating: "0", count: 8 - tail.count) + tail
        return TestNotification(
            id: self.id, type: type, subtype: subtype, uuid: "\(head)-000\(app)-4000-8000-\(digits)", signed: self.now,
            bundle: self.bundle, period: self.period)
    }

    mutating func subscribe() -> TestNotification { self.tell("SUBSCRIBED", "INITIAL_BUY") }

    mutating func wait(_ time: Milliseconds) { self.now = self.now + time }

    mutating func renew() -> TestNotification {
        let recovers = self.period.isRetrying
        let start = max(self.now, self.end)
        self.now = start
        self.period = TestNotification.Period(
            number: self.period.number + 1, purchase: start, expires: start + Self.month)
        return self.tell("DID_RENEW", recovers ? "BILLING_RECOVERY" : nil)
    }

    mutating func turnAutoRenew(_ isOn: Bool) -> TestNotification {
        self.period.autoRenew = isOn
        return self.tell("DID_CHANGE_RENEWAL_STATUS", isOn ? "AUTO_RENEW_ENABLED" : "AUTO_RENEW_DISABLED")
    }

    mutating func failToRenew(grace: Milliseconds?) -> TestNotification {
        self.now = max(self.now, self.end)
        self.period.isRetrying = true
        self.period.expirationIntent = 2
        self.period.grace = grace.map { self.end + $0 }
        self.period.status = grace == nil ? 3 : 4
        return self.tell("DID_FAIL_TO_RENEW", grace == nil ? nil : "GRACE_PERIOD")
    }

    mutating func expire() -> TestNotification {
        self.now = max(self.now, self.end)
        self.period.status = 2
        self.period.isRetrying = false
        self.period.grace = nil
        self.period.expirationIntent = 1
        return self.tell("EXPIRED", "VOLUNTARY")
    }

    mutating func refund() -> TestNotification {
        self.period.revocation = self.now
        self.period.status = 5
        return self.tell("REFUND")
    }

    mutating func askForConsumption() -> TestNotification { self.tell("CONSUMPTION_REQUEST") }

    /// A life of 3 to 12 notifications that follows from the seed.
    static func story(seed: UInt64, from start: Moment) -> [TestNotification] {
        var random = SeededGenerator(seed: seed)
        var life = TestSubscription(id: String(3_000_000_000 + seed), from: start)
        var told = [life.subscribe()]
        for _ in 0..<Int.random(in: 2...11, using: &random) {
            life.wait(.minutes(.random(in: 1...600, using: &random)))
            switch Int.random(in: 0..<8, using: &random) {
            case 0: told.append(life.turnAutoRenew(false))
            case 1: told.append(life.turnAutoRenew(true))
            case 2: told.append(life.askForConsumption())
            case 3: told.append(life.failToRenew(grace: Bool.random(using: &random) ? .days(16) : nil))
            case 4 where told.count > 6: told.append(life.refund())
            default: told.append(life.renew())
            }
        }
        return told
    }
}
