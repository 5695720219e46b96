/// What the newest version of one transaction says about a revocation. A period has one for each of its transactions: its
/// copies say what Apple had signed about them, which may be older than what it says of another.
package struct KeptVersion: Hashable, Comparable, Sendable {
    package let transactionID: TransactionID
    package var signedDate: Moment
    /// The start of the payload's digest: it decides between versions of one millisecond.
    package var digestStart: UInt64
    package var revocation: TransactionInfo.Revocation?
    /// The newest version of this transaction that an authoritative source brought.
    package var vouched: Vouched?
    /// The latest two `revocationDate`s that versions of this transaction have named, the later first. One that the newest
    /// version does not name any more has been taken back.
    package var revocationDates: [Moment]

    package struct Vouched: Hashable, Comparable, Sendable {
        package var signedDate: Moment
        package var isRevoked: Bool

        package init(signedDate: Moment, isRevoked: Bool) {
            self.signedDate = signedDate
            self.isRevoked = isRevoked
        }

        package static func < (left: Self, right: Self) -> Bool {
            left.signedDate == right.signedDate
                ? !left.isRevoked && right.isRevoked : left.signedDate < right.signedDate
        }
    }

    package init(
        transactionID: TransactionID, signedDate: Moment, digestStart: UInt64,
        revocation: TransactionInfo.Revocation?, vouched: Vouched?, revocationDates: [Moment]
    ) {
        self.transactionID = transactionID
        self.signedDate = signedDate
        self.digestStart = digestStart
        self.revocation = revocation
        self.vouched = vouched
        self.revocationDates = revocationDates
    }

    init(_ transaction: TransactionInfo, vouched: Vouched?) {
        self.init(
            transactionID: transaction.transactionID, signedDate: transaction.signedDate,
            digestStart: transaction.digest.start, revocation: transaction.revocation?.bounded, vouched: vouched,
            revocationDates: transaction.revocationDate.map { [$0] } ?? [])
    }

    init(_ transaction: TransactionInfo, vouched: Bool) {
        self.init(
            transaction,
            vouched: vouched
                ? Vouched(signedDate: transaction.signedDate, isRevoked: transaction.revocationDate != nil) : nil)
    }

    /// By when they were signed: of one transaction the greater one counts.
    package static func < (left: Self, right: Self) -> Bool { left.order < right.order }

    private var order: (Moment, UInt64, Moment) {
        (self.signedDate, self.digestStart, self.revocation?.date ?? .distantPast)
    }

    /// Takes in another version of the same transaction.
    mutating func merge(_ other: KeptVersion) {
        if self < other {
            self.signedDate = other.signedDate
            self.digestStart = other.digestStart
            self.revocation = other.revocation
        }
        self.vouched = .greater(self.vouched, other.vouched)
        for date in other.revocationDates where !self.revocationDates.contains(date) {
            self.revocationDates.append(date)
            self.revocationDates.sort(by: >)
            if self.revocationDates.count > 2 { self.revocationDates.removeLast() }
        }
    }

    var isVouched: Bool {
        self.vouched.map { Vouched(signedDate: self.signedDate, isRevoked: self.revocation != nil) <= $0 } ?? false
    }

    /// The revocation, unless an authoritative source would have to vouch for it and does not.
    fileprivate func revocation(onlyVouched: Bool) -> TransactionInfo.Revocation? {
        onlyVouched && !self.isVouched && self.vouched?.isRevoked != true ? nil : self.revocation
    }

    /// Whether a version of this transaction has named this date. Of more than two the earliest are forgotten, so that it
    /// may have named any that is earlier still.
    fileprivate func hasNamed(_ date: Moment) -> Bool {
        self.revocationDates.contains(date) || self.revocationDates.count == 2 && date < self.revocationDates[1]
    }
}

extension Collection<KeptVersion> {
    /// The version by which their period was revoked first.
    /// - Precondition: ascending by id.
    func revoking(onlyVouched: Bool) -> KeptVersion? {
        var first: (version: KeptVersion, date: Moment)?
        for version in self {
            guard let date = version.revocation(onlyVouched: onlyVouched)?.date else { continue }
            if let first, first.date <= date { continue }
            guard !self.takesBack(date, signed: version.signedDate) else { continue }
            first = (version, date)
        }
        return first?.version
    }

    /// Whether a revocation that one of them was last signed with at `signed` has been taken back. That is for the refunded
    /// transaction to say, the first that has ever named it: of the others it takes back what was signed before. No copy
    /// takes it back from the refunded one.
    /// - Precondition: ascending by id.
    func takesBack(_ date: Moment, signed: Moment) -> Bool {
        guard let refunded = self.first(where: { $0.hasNamed(date) }) else { return false }
        return refunded.revocation?.date != date && signed < refunded.signedDate
    }
}
