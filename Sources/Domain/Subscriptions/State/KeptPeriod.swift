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
    /// `versions`; empty where the payload's is the only one, and has never said anything else.
    package private(set) var listedVersions: [KeptVersion]

    package static let versionLimit = 4

    /// - Parameter versions: ascending by id; nil where the payload's is the only one, and has never said anything else.
    package init(
        info: TransactionInfo, vouched: PeriodEnd?, longestExpiresDate: Moment?, versions: [KeptVersion]? = nil
    ) {
        self.info = info
        self.vouched = vouched
        self.longestExpiresDate = longestExpiresDate
        self.listedVersions = versions ?? []
        self.shortenList()
    }

    init(_ transaction: TransactionInfo, vouched: Bool) {
        self.info = transaction.bounded
        self.vouched = vouched ? transaction.end : nil
        self.longestExpiresDate = transaction.unrevokedExpiresDate
        self.listedVersions = []
    }

    /// The newest version of each transaction, ascending by id: of those with the smallest ids, which no order of arrival
    /// changes.
    package var versions: [KeptVersion] {
        guard self.listedVersions.isEmpty else { return self.listedVersions }
        return self.info.transactionID.isKept ? [self.ownVersion] : []
    }

    /// What is known of the payload's own transaction where no list says more.
    private var ownVersion: KeptVersion {
        KeptVersion(
            self.info,
            vouched: self.vouched.map {
                KeptVersion.Vouched(signedDate: $0.signedDate, isRevoked: $0.revocationDate != nil)
            })
    }

    private mutating func shortenList() {
        guard self.listedVersions.count == 1, self.listedVersions[0].transactionID == self.info.transactionID,
            self.listedVersions[0] == self.ownVersion
        else { return }
        self.listedVersions = []
    }

    var rank: PeriodID { self.info.rank }

    var isVouched: Bool { self.vouched.map { self.info.end <= $0 } ?? false }

    /// With all its transactions.
    var isWhollyVouched: Bool {
        guard self.isVouched else { return false }
        return self.listedVersions.isEmpty ? self.ownVersion.isVouched : self.listedVersions.allSatisfy(\.isVouched)
    }

    /// The newest version of each transaction that is known of: the payload's own may not be among those kept.
    var allVersions: [KeptVersion] {
        if self.listedVersions.isEmpty { return [self.ownVersion] }
        if self.hasListed(self.info.transactionID) { return self.listedVersions }
        return self.listedVersions + [self.isVouched ? KeptVersion(self.info, vouched: true) : self.ownVersion]
    }

    private func hasListed(_ id: TransactionID) -> Bool { self.listedVersions.contains { $0.transactionID == id } }

    /// Whether anything is known of this transaction.
    func isOf(_ id: TransactionID) -> Bool { self.info.transactionID == id || self.hasListed(id) }

    func sharesTransaction(with other: KeptPeriod) -> Bool {
        other.isOf(self.info.transactionID) || self.listedVersions.contains { other.isOf($0.transactionID) }
    }

    // MARK: Taking in

    /// Takes in another payload. What loses is not made smaller first.
    mutating func merge(_ other: TransactionInfo, vouched: Bool, of kind: StreamKind) {
        let isListed = !self.repeats(other, vouched: vouched)
        if isListed { self.list(KeptVersion(other, vouched: vouched)) }
        let purchaseDate =
            kind == .purchase ? .least(self.info.purchaseDate, other.purchaseDate) : self.info.purchaseDate
        if (self.info.signedDate, self.info.digest) < (other.signedDate, other.digest) {
            self.info = other.bounded
        }
        if kind == .purchase, self.info.purchaseDate != purchaseDate { self.info.purchaseDate = purchaseDate }
        if vouched { self.vouched = .greater(self.vouched, other.end) }
        self.longestExpiresDate = .greater(self.longestExpiresDate, other.unrevokedExpiresDate)
        if isListed { self.shortenList() }
    }

    /// Whether the payload and what is vouched for will tell all that is known of the transactions, as they do now: most
    /// often the only one is signed again.
    private func repeats(_ other: TransactionInfo, vouched: Bool) -> Bool {
        guard self.listedVersions.isEmpty, self.info.transactionID == other.transactionID,
            self.info.revocationDate == other.revocationDate
        else { return false }
        guard vouched, let known = self.vouched else { return true }
        return (known.revocationDate == nil) == (other.revocationDate == nil)
    }

    private mutating func list(_ version: KeptVersion) {
        if self.listedVersions.isEmpty { self.listedVersions = self.versions }
        let id = version.transactionID
        guard id.isKept else { return }
        let place = self.listedVersions.firstIndex { !($0.transactionID < id) } ?? self.listedVersions.endIndex
        if place < self.listedVersions.endIndex, self.listedVersions[place].transactionID == id {
            self.listedVersions[place].merge(version)
        } else if place < Self.versionLimit {
            self.listedVersions.insert(version, at: place)
            if self.listedVersions.count > Self.versionLimit { self.listedVersions.removeLast() }
        }
    }

    /// Puts what was true of the transactions at some moment in the place of what is true now.
    /// - Parameter versions: ascending by id, at least one.
    mutating func replaceVersions(by versions: [KeptVersion]) {
        self.listedVersions = versions
        if !self.hasListed(self.info.transactionID) { self.info.transactionID = versions[0].transactionID }
    }

    // MARK: Telling

    /// The payload as the rules look at it: under the first of its transactions, and with the revocation of the period. And
    /// the version that says it, where that is not the payload itself.
    /// - Parameters:
    ///   - versions: nil: all that are known.
    ///   - onlyVouched: endings that nobody vouches for are left out.
    func look(by versions: [KeptVersion]? = nil, onlyVouched: Bool) -> (info: TransactionInfo, revoking: KeptVersion?) {
        if versions == nil, self.listedVersions.isEmpty, !onlyVouched || self.isWhollyVouched {
            return (self.info, nil)
        }
        let versions = versions ?? self.allVersions
        var info = self.info
        if onlyVouched, !self.isVouched { info.leaveUnvouchedEnd(self) }
        let revoking = versions.revoking(onlyVouched: onlyVouched)
        if info.revocation != revoking?.revocation { info.unshared.revoke(revoking?.revocation) }
        if let first = versions.first, info.transactionID != first.transactionID {
            info.transactionID = first.transactionID
        }
        return (info, revoking)
    }

    /// The same by all that is known.
    var shown: TransactionInfo { self.look(onlyVouched: false).info }

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
        guard self.listedVersions.count == Self.versionLimit, let last = self.listedVersions.last else { return true }
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
