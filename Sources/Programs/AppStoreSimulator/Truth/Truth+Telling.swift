package import Subscriptions

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
