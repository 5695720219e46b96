import Subscriptions

/// One customer as Apple would tell of them: every act yields the notification it causes. `status` is this model's own
/// notion of the truth; nothing here looks at how states are derived.
struct Customer {
    let environment: AppStoreEnvironment
    let period: Milliseconds
    private(set) var now: Moment
    /// In order of purchase, each as Apple would sign it today.
    var transactions: [TransactionInfo] = []
    var renewal: RenewalInfo
    var status = AppleStatus.active
    private var signatures = 0

    init(period: Milliseconds = .days(30), start: Moment = day0) {
        self.environment = .production
        self.period = period
        self.now = start
        self.renewal = RenewalInfo(
            originalTransactionID: OriginalTransactionID(rawValue: "100"), environment: .production, signedDate: start,
            digest: digest(0))
    }

    /// The transaction of the period that runs, or ran last.
    var currentIndex: Int { self.transactions.lastIndex { $0.purchaseDate! <= self.now } ?? 0 }
    var current: TransactionInfo { self.transactions[self.currentIndex] }
    var end: Moment { self.transactions.map { $0.expiresDate! }.max()! }
    var isAutoRenewOn: Bool { self.renewal.autoRenewStatus == 1 }
    var commitmentRuns: Bool { self.current.commitment?.commitmentExpiresDate.map { self.end < $0 } ?? false }

    mutating func wait(_ duration: Milliseconds) { self.now = self.now + duration }

    mutating func wait(until moment: Moment) { self.now = max(self.now, moment) }

    // MARK: What Apple sends

    mutating func notify(_ type: String, _ subtype: String? = nil, about index: Int? = nil) -> FactBundle {
        self.wait(.seconds(1))
        let number = self.nextSignature()
        var bundle = self.sign(self.transactions[index ?? self.currentIndex], source: .notification)
        bundle.facts.status = StatusObservation(status: self.status, asOf: self.now, digest: digest(number))
        bundle.signedDate = self.now
        bundle.notification = NotificationIdentity(uuid: "uuid-\(number)", type: type, subtype: subtype)
        return bundle
    }

    /// What the statuses endpoint answers.
    mutating func poll() -> FactBundle {
        self.wait(.seconds(1))
        var bundle = self.sign(self.transactions.last!, source: .statuses)
        bundle.facts.status = StatusObservation(
            status: self.status, asOf: bundle.facts.renewal!.signedDate, digest: bundle.facts.renewal!.digest,
            unsigned: .init(purchaseDate: self.transactions.last!.purchaseDate))
        return bundle
    }

    /// What a device hands to its backend.
    mutating func post(about index: Int? = nil) -> FactBundle {
        self.wait(.seconds(1))
        return self.sign(self.transactions[index ?? self.currentIndex], source: .client)
    }

    /// One item of the transaction history.
    mutating func listed(_ index: Int) -> FactBundle {
        self.wait(.seconds(1))
        var bundle = self.sign(self.transactions[index], source: .history)
        bundle.facts.renewal = nil
        return bundle
    }

    private mutating func sign(_ transaction: TransactionInfo, source: EventSource) -> FactBundle {
        var transaction = transaction
        var renewal = self.renewal
        transaction.signedDate = self.now - Milliseconds(rawValue: 20)
        transaction.digest = digest(self.nextSignature())
        renewal.signedDate = self.now - Milliseconds(rawValue: 10)
        renewal.digest = digest(self.nextSignature())
        let number = self.nextSignature()
        return FactBundle(
            facts: Facts(transactions: [transaction], renewal: renewal), source: source,
            dedupKey: digest(number).bytes, contentDigest: digest(number), signedDate: renewal.signedDate)
    }

    private mutating func nextSignature() -> Int {
        self.signatures += 1
        return self.signatures
    }
}
