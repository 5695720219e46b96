/// R: the newest renewal info.
package struct KeptRenewal: Hashable, Sendable {
    /// The one with the greatest (signedDate, digest), without what no answer needs.
    package var info: RenewalInfo
    /// The newest one that an authoritative source brought.
    package var vouched: Vouched?

    package struct Vouched: Hashable, Comparable, Sendable {
        package var signedDate: Moment
        /// It says that no renewal comes, or not in time: auto-renew off, an expiration intent, or billing retry.
        package var endsAccess: Bool

        package init(signedDate: Moment, endsAccess: Bool) {
            self.signedDate = signedDate
            self.endsAccess = endsAccess
        }

        package static func < (left: Self, right: Self) -> Bool {
            left.signedDate == right.signedDate
                ? !left.endsAccess && right.endsAccess : left.signedDate < right.signedDate
        }
    }

    package init(info: RenewalInfo, vouched: Vouched?) {
        self.info = info
        self.vouched = vouched
    }

    init(_ renewal: RenewalInfo, vouched: Bool) {
        self.info = renewal.bounded
        self.vouched = vouched ? renewal.vouched : nil
    }

    var isVouched: Bool { self.vouched.map { self.info.vouched <= $0 } ?? false }

    /// Takes in another one. What loses is not made smaller first.
    mutating func merge(_ other: RenewalInfo, vouched: Bool) {
        if (self.info.signedDate, self.info.digest) < (other.signedDate, other.digest) { self.info = other.bounded }
        if vouched { self.vouched = .greater(self.vouched, other.vouched) }
    }
}

extension RenewalInfo {
    fileprivate var vouched: KeptRenewal.Vouched {
        let endsAccess =
            self.autoRenewStatus == 0 || self.expirationIntent != nil || self.isInBillingRetryPeriod == true
        return KeptRenewal.Vouched(signedDate: self.signedDate, endsAccess: endsAccess)
    }
}
