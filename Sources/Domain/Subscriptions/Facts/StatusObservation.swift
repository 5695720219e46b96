/// Apple's `status` number as of a moment.
package struct StatusObservation: Hashable, Sendable {
    package var status: AppleStatus
    /// A notification: the envelope's signedDate. The statuses endpoint: the nested renewal info's signedDate.
    package var asOf: Moment
    /// Of the payload that `asOf` was taken from.
    package var digest: PayloadDigest
    /// The statuses endpoint sends the number outside the signature; then the purchaseDate of the transaction it came
    /// with is kept, because such a status does not count once a newer transaction is known.
    package var unsigned: Unsigned?

    package struct Unsigned: Hashable, Sendable {
        package var purchaseDate: Moment?

        package init(purchaseDate: Moment?) { self.purchaseDate = purchaseDate }
    }

    package init(status: AppleStatus, asOf: Moment, digest: PayloadDigest, unsigned: Unsigned? = nil) {
        self.status = status
        self.asOf = asOf
        self.digest = digest
        self.unsigned = unsigned
    }
}
