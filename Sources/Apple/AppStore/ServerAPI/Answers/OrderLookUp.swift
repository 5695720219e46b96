/// What is behind the order id of a customer's receipt mail.
package struct OrderLookUp: Hashable, Sendable {
    /// 0 valid, 1 invalid.
    package var status: Int64?
    /// Empty when the order id is invalid.
    package var signedTransactions: [SignedString] = []

    package init() {}

    package var isValid: Bool { self.status == 0 }
}
