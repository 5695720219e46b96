extension [DecodedNotification] {
    private static let names: Set = [
        "productId", "price", "offerType", "offerIdentifier", "offerDiscountType", "offerPeriod",
    ]

    /// The renewals of one subscription whose product, price or offer is not the one that was announced last; with both.
    var surprises: [String] {
        var announced: [String: Any] = [:]
        var surprises: [String] = []
        for notification in self {
            guard let transaction = notification.transaction, var renewal = notification.renewal else { continue }
            let (come, expected) = (
                notification.members(Self.names, of: transaction), notification.members(Self.names, of: announced)
            )
            if notification.type == "DID_RENEW", come != expected { surprises.append("\(come) after \(expected)") }
            renewal["productId"] = renewal["autoRenewProductId"]
            renewal["price"] = renewal["renewalPrice"]
            announced = renewal
        }
        return surprises
    }
}
