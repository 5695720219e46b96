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
