/// What versions of one transaction said of a revocation, one after the other.
struct RevocationClaim {
    let date: Moment
    /// Names this revocation alone, and says what was vouched for when it was last signed.
    let version: KeptVersion
    let lastSigned: Moment
    /// When a version was signed that no longer said so.
    let end: Moment

    private init(_ version: KeptVersion, date: Moment, signed: Moment, end: Moment) {
        self.date = date
        self.lastSigned = version.signedDate
        self.end = end
        var version = version
        version.signedDate = signed
        version.revocationDates = [date]
        self.version = version
    }

    /// Those of a transaction that a state keeps.
    /// - Parameters:
    ///   - versions: in the order of signing.
    ///   - asOf: of the versions signed later than this, the first that says so is the one that counts as its signature.
    static func all(by versions: [KeptVersion], signedAfter asOf: Moment) -> [RevocationClaim] {
        var claims: [RevocationClaim] = []
        var merged: KeptVersion?
        var first: Moment?
        for place in versions.indices {
            if merged?.merge(versions[place]) == nil { merged = versions[place] }
            guard let date = versions[place].revocation?.date, let merged else { continue }
            if first == nil, asOf < versions[place].signedDate { first = versions[place].signedDate }
            let next = place + 1 < versions.count ? versions[place + 1] : nil
            if next?.revocation?.date == date { continue }
            claims.append(
                RevocationClaim(
                    merged, date: date, signed: first ?? merged.signedDate, end: next?.signedDate ?? .distantFuture))
            first = nil
        }
        return claims
    }

    /// Those of a transaction beyond the kept ones: until anything newer is signed about the period.
    /// - Parameters:
    ///   - versions: of the period, in the order of signing; what is vouched for is of the period as well.
    ///   - newest: the version of this transaction, if it is the period's newest.
    static func all(
        by id: TransactionID, whileNewestOf versions: [KeptVersion], newest: KeptVersion?
    ) -> [RevocationClaim] {
        var vouched: KeptVersion.Vouched?
        return versions.indices.compactMap { place in
            var version = versions[place]
            vouched = .greater(vouched, version.vouched)
            version.vouched = vouched
            guard version.transactionID == id, let date = version.revocation?.date else { return nil }
            guard place + 1 < versions.count else {
                return RevocationClaim(newest ?? version, date: date, signed: version.signedDate, end: .distantFuture)
            }
            return RevocationClaim(
                version, date: date, signed: version.signedDate, end: versions[place + 1].signedDate)
        }
    }
}
