/// One transaction of T. What identifies it is its rank: were one `transactionId` ever signed with two purchase dates,
/// these would be two entries, so that evicting stays independent of order; the derivation uses the newer signed.
package struct KeptTransaction: Hashable, Sendable {
    /// The version with the greatest (signedDate, digest), without what no answer needs.
    package var info: TransactionInfo
    /// The newest version that an authoritative source brought.
    package var vouched: PeriodEnd?
    /// The latest `expiresDate` of all versions without a revocation: proof that access once ran.
    package var longestExpiresDate: Moment?

    package init(info: TransactionInfo, vouched: PeriodEnd?, longestExpiresDate: Moment?) {
        self.info = info
        self.vouched = vouched
        self.longestExpiresDate = longestExpiresDate
    }

    init(_ transaction: TransactionInfo, vouched: Bool) {
        self.info = transaction.bounded
        self.vouched = vouched ? transaction.end : nil
        self.longestExpiresDate = transaction.unrevokedExpiresDate
    }

    var rank: TransactionRank { self.info.rank }

    var isVouched: Bool { self.vouched.map { self.info.end <= $0 } ?? false }

    /// Takes in another version. What loses is not made smaller first.
    mutating func merge(_ other: TransactionInfo, vouched: Bool) {
        if (self.info.signedDate, self.info.digest) < (other.signedDate, other.digest) { self.info = other.bounded }
        if vouched { self.vouched = .greater(self.vouched, other.end) }
        self.longestExpiresDate = .greater(self.longestExpiresDate, other.unrevokedExpiresDate)
    }
}

/// The order of transactions: by purchaseDate, then by id.
struct TransactionRank: Hashable, Comparable {
    let purchaseDate: Moment
    let transactionID: TransactionID

    static func < (left: Self, right: Self) -> Bool {
        left.purchaseDate == right.purchaseDate
            ? left.transactionID < right.transactionID : left.purchaseDate < right.purchaseDate
    }
}

extension TransactionInfo {
    var rank: TransactionRank {
        TransactionRank(purchaseDate: self.purchaseDate ?? .distantPast, transactionID: self.transactionID)
    }

    var end: PeriodEnd {
        PeriodEnd(
            signedDate: self.signedDate, expiresDate: self.expiresDate, revocationDate: self.revocationDate)
    }

    fileprivate var unrevokedExpiresDate: Moment? {
        self.revocationDate == nil ? self.expiresDate ?? .distantPast : nil
    }
}

/// What one version of a transaction says about its end.
package struct PeriodEnd: Hashable, Comparable, Sendable {
    package var signedDate: Moment
    package var expiresDate: Moment?
    package var revocationDate: Moment?

    package init(signedDate: Moment, expiresDate: Moment?, revocationDate: Moment?) {
        self.signedDate = signedDate
        self.expiresDate = expiresDate
        self.revocationDate = revocationDate
    }

    package static func < (left: Self, right: Self) -> Bool { left.order < right.order }

    private var order: (Moment, Moment, Moment) {
        (self.signedDate, self.expiresDate ?? .distantPast, self.revocationDate ?? .distantPast)
    }
}

extension Comparable {
    static func greater(_ left: Self?, _ right: Self?) -> Self? {
        guard let left, let right else { return left ?? right }
        return max(left, right)
    }
}
