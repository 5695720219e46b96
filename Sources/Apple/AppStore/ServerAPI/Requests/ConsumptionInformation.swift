/// What Apple is told about a purchase that a customer wants refunded (version 2 of the endpoint).
package struct ConsumptionInformation: Hashable, Sendable {
    /// Without it nothing is sent.
    package var customerConsented: Bool
    package var deliveryStatus: DeliveryStatus
    package var sampleContentProvided: Bool
    /// Thousandths of a percent, 0…100000. Not for auto-renewable subscriptions; 0 unless delivered.
    package var consumptionPercentage: Int64?
    package var refundPreference: RefundPreference?

    package init(
        customerConsented: Bool, deliveryStatus: DeliveryStatus, sampleContentProvided: Bool,
        consumptionPercentage: Int64? = nil, refundPreference: RefundPreference? = nil
    ) {
        self.customerConsented = customerConsented
        self.deliveryStatus = deliveryStatus
        self.sampleContentProvided = sampleContentProvided
        self.consumptionPercentage = consumptionPercentage
        self.refundPreference = refundPreference
    }

    package enum DeliveryStatus: String, CaseIterable, Sendable {
        case delivered = "DELIVERED"
        case qualityIssue = "UNDELIVERED_QUALITY_ISSUE"
        case wrongItem = "UNDELIVERED_WRONG_ITEM"
        case serverOutage = "UNDELIVERED_SERVER_OUTAGE"
        case other = "UNDELIVERED_OTHER"
    }

    package enum RefundPreference: String, CaseIterable, Sendable {
        case decline = "DECLINE"
        case grantFull = "GRANT_FULL"
        case grantProrated = "GRANT_PRORATED"
    }
}
