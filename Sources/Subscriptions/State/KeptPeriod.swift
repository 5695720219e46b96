/// One period of T, with all the transactions that stand for it. What identifies it is its rank: were one line item ever
/// signed with two purchase dates, these would be two entries, so that evicting stays independent of order; the derivation
/// puts them together.
package struct KeptPeriod: Hashable, Sendable {
    /// The payload with the greatest (signedDate, digest), without what no answer needs. Of a one-time purchase it has the
    /// earliest `purchaseDate` of all.
    package var info: TransactionInfo
    /// The newest payload that an authoritative source brought.
    package var vouched: PeriodEnd?
    /// The latest `expiresDate` of all payloads without a revocation: proof that access once ran.
    package var longestExpiresDate: Moment?
    /// The newest version of each transaction: of those with the smallest ids, which no order of arrival changes.
    package private(set) var versions: [KeptVersion]

    package static let versionLimit = 4

    /// - Parameter versions: ascending by id; nil where the payload's is the only one, and has never said anything else.
    package init(
        info: TransactionInfo, vouched: PeriodEnd?, longestExpiresDate: Moment?, versions: [KeptVersion]? = nil
    ) {
        self.info = info
        self.vouched = vouched
        self.longestExpiresDate = longestExpiresDate
        self.versions = versions ?? Self.versions(ofOnly: info, vouched: vouched)
    }

    init(_ transaction: TransactionInfo, vouched: Bool) {
        let end = transaction.end
        self.init(
            info: transaction.bounded, vouched: vouched ? end : nil,
            longestExpiresDate: transaction.unrevokedExpiresDate)
    }

    /// Those of a period of which one payload is all that is known.
    package static func versions(ofOnly info: TransactionInfo, vouched: PeriodEnd?) -> [KeptVersion] {
        info.transactionID.isKept ? [Self.version(info, vouched: vouched)] : []
    }

    private static func version(_ info: TransactionInfo, vouched: PeriodEnd?) -> KeptVersion {
        KeptVersion(
            info,
            vouched: vouched.map {
                KeptVersion.Vouched(signedDate: $0.signedDate, isRevoked: $0.revocationDate != nil)
            })
    }

    var rank: PeriodID { self.info.rank }

    var isVouched: Bool { self.vouched.map { self.info.end <= $0 } ?? false }

    /// The newest version of each transaction that is known of: the payload's own may not be among those kept.
    var allVersions: [KeptVersion] {
        if self.versions.contains(where: { $0.transactionID == self.info.transactionID }) { return self.versions }
        return self.versions + [Self.version(self.info, vouched: self.vouched)]
    }

    // MARK: Taking in

    /// Takes in another payload. What loses is not made smaller first.
    mutating func merge(_ other: TransactionInfo, vouched: Bool, of kind: StreamKind) {
        self.take(KeptVersion(other, vouched: vouched))
        let purchaseDate =
            kind == .purchase ? .least(self.info.purchaseDate, other.purchaseDate) : self.info.purchaseDate
        if (self.info.signedDate, self.info.digest) < (other.signedDate, other.digest) {
            self.info = other.bounded
        }
        if kind == .purchase, self.info.purchaseDate != purchaseDate { self.info.purchaseDate = purchaseDate }
        if vouched { self.vouched = .greater(self.vouched, other.end) }
        self.longestExpiresDate = .greater(self.longestExpiresDate, other.unrevokedExpiresDate)
    }

    private mutating func take(_ version: KeptVersion) {
        let id = version.transactionID
        guard id.isKept else { return }
        let place = self.versions.firstIndex { !($0.transactionID < id) } ?? self.versions.endIndex
        if place < self.versions.endIndex, self.versions[place].transactionID == id {
            self.versions[place].merge(version)
        } else if place < Self.versionLimit {
            self.versions.insert(version, at: place)
            if self.versions.count > Self.versionLimit { self.versions.removeLast() }
        }
    }

    /// Puts what was true of a transaction at some moment in the place of what is true now.
    mutating func replace(_ version: KeptVersion) {
        guard let place = self.versions.firstIndex(where: { $0.transactionID == version.transactionID }) else { return }
        self.versions[place] = version
    }

    // MARK: Telling

    /// The payload as the rules look at it: under the first of its transactions, and with the revocation of the period.
    /// - Parameter onlyVouched: endings that nobody vouches for are left out.
    func info(by versions: some Collection<KeptVersion>, onlyVouched: Bool) -> TransactionInfo {
        if versions.count == 1, let only = versions.first, only.transactionID == self.info.transactionID,
            only.signedDate == self.info.signedDate, only.revocation?.date == self.info.revocationDate,
            !onlyVouched || self.isVouched && only.isVouched
        {
            return self.info
        }
        var info = self.info
        if onlyVouched, !self.isVouched { info.leaveUnvouchedEnd(self) }
        info.unshared.revoke(versions.revoking(onlyVouched: onlyVouched)?.revocation)
        if let first = versions.first { info.transactionID = first.transactionID }
        return info
    }

    /// The same by all that is known.
    var shown: TransactionInfo { self.info(by: self.allVersions, onlyVouched: false) }

    /// Whether `transaction` says what is known already, leaving out when it was signed.
    func holds(_ transaction: TransactionInfo, of kind: StreamKind) -> Bool {
        var (new, own) = (transaction.content, self.info.content)
        new.transactionID = own.transactionID
        new.unshared.revoke(nil)
        own.unshared.revoke(nil)
        if kind == .purchase, let date = new.purchaseDate, let earliest = own.purchaseDate, date >= earliest {
            new.purchaseDate = earliest
        }
        guard new == own else { return false }
        let revocation = transaction.revocation?.bounded
        if let known = self.versions.first(where: { $0.transactionID == transaction.transactionID }) {
            return known.revocation == revocation
        }
        // A copy that is not kept adds nothing, unless it says what none of the others does.
        return !self.keeps(transaction.transactionID)
            && (revocation == nil || self.allVersions.contains { $0.revocation == revocation })
    }

    private func keeps(_ id: TransactionID) -> Bool {
        guard id.isKept else { return false }
        guard self.versions.count == Self.versionLimit, let last = self.versions.last else { return true }
        return id < last.transactionID
    }
}

extension TransactionID {
    /// Apple's are numbers of at most 20 digits. What is far longer would fill a state with copies.
    fileprivate var isKept: Bool { self.rawValue.utf8.count <= 24 }
}

extension TransactionInfo {
    var end: PeriodEnd {
        PeriodEnd(
            signedDate: self.signedDate, expiresDate: self.expiresDate, revocationDate: self.revocationDate)
    }

    fileprivate var unrevokedExpiresDate: Moment? {
        self.revocationDate == nil ? self.expiresDate ?? .distantPast : nil
    }
}

/// What one payload says about the end of its period.
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

    static func least(_ left: Self?, _ right: Self?) -> Self? {
        guard let left, let right else { return left ?? right }
        return min(left, right)
    }
}
