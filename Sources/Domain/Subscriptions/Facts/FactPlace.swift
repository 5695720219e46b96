/// The place of a payload among all of its stream: by what was bought last, then by what was signed last. What a stream keeps
/// of its customer is of the greatest place.
package struct FactPlace: Hashable, Comparable, Sendable {
    package var purchaseDate: Moment
    package var signedDate: Moment
    /// The start of the payload's digest: it decides between payloads of one millisecond.
    package var digestStart: UInt64

    package init(purchaseDate: Moment, signedDate: Moment, digestStart: UInt64) {
        self.purchaseDate = purchaseDate
        self.signedDate = signedDate
        self.digestStart = digestStart
    }

    /// Copies of a one-time purchase have purchase dates of their own, and one original date.
    init(_ transaction: TransactionInfo) {
        let isOneTime = transaction.expiresDate == nil
        self.init(
            purchaseDate: (isOneTime ? transaction.originalPurchaseDate : nil) ?? transaction.purchaseDate
                ?? .distantPast,
            signedDate: transaction.signedDate, digestStart: transaction.digest.start)
    }

    /// Below every payload.
    package static let lowest = FactPlace(purchaseDate: .distantPast, signedDate: .distantPast, digestStart: 0)

    package static func < (left: Self, right: Self) -> Bool { left.order < right.order }

    private var order: (Moment, Moment, UInt64) { (self.purchaseDate, self.signedDate, self.digestStart) }
}

/// An identifier that a payload carries, with the payload's place.
package struct Placed<Value: Hashable & Sendable>: Hashable, Sendable {
    package var value: Value
    package var place: FactPlace

    package init(_ value: Value, at place: FactPlace) {
        self.value = value
        self.place = place
    }
}

extension Optional {
    /// Whether what is carried at `place` takes the place of this.
    func isBelow<Value>(_ place: FactPlace) -> Bool where Wrapped == Placed<Value> {
        self.map { $0.place < place } ?? true
    }
}
