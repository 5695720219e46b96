package import Subscriptions

/// One notification about a subscription or purchase, as far as it matters which facts it carried.
package struct Telling: Hashable, Sendable {
    package let uuid: String
    package let type: String
    package let subtype: String?
    /// Of the envelope and of the facts in it: the store signs them in one moment.
    package let signedDate: Moment
    /// Of the transaction in it.
    package let transactionID: String

    package init(uuid: String, type: String, subtype: String?, signedDate: Moment, transactionID: String) {
        self.uuid = uuid
        self.type = type
        self.subtype = subtype
        self.signedDate = signedDate
        self.transactionID = transactionID
    }
}

extension Truth {
    /// The notifications whose facts decide what a receiver can say of a moment: the last one signed by then, which has
    /// the terms and the status, and the last one ever signed about the transaction that counted. Whoever has both knows
    /// the truth of that moment.
    ///
    /// - Parameter tellings: all about this subscription or purchase, in the order of signing.
    package func deciding(at moment: Moment, among tellings: [Telling]) -> [Telling] {
        let terms = tellings.last { $0.signedDate <= moment }
        let current = self.standing(at: moment)?.transactionID
        let transaction = tellings.last { $0.transactionID == current }
        return [terms, transaction].compactMap(\.self).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }
}
