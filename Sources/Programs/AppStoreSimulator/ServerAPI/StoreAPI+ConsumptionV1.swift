/// Consumption as it was told before the endpoint's second version: numbers, all of them required.
extension StoreAPI {
    /// By name: the largest number, and what is said of others.
    private static let numbers: [(name: String, maximum: Int64, error: StoreAPIError)] = [
        ("accountTenure", 7, .badAccountTenure), ("consumptionStatus", 3, .badConsumptionStatus),
        ("deliveryStatus", 5, .badDeliveryStatus), ("lifetimeDollarsPurchased", 7, .badLifetimeDollarsPurchased),
        ("lifetimeDollarsRefunded", 7, .badLifetimeDollarsRefunded), ("platform", 2, .badPlatform),
        ("playTime", 7, .badPlayTime), ("userStatus", 4, .badUserStatus),
    ]
    private static let largestRefundPreference: Int64 = 3

    /// Checked and accepted, as `takeConsumption(_:)` does.
    func takeConsumptionV1(_ call: StoreCall) throws -> StoreReply {
        _ = try self.transaction(call)
        let body = try call.readBody()
        guard body.bool("customerConsented") == true else { throw StoreAPIError.badCustomerConsented }
        guard body.bool("sampleContentProvided") != nil else { throw StoreAPIError.badSampleContentProvided }
        guard let token = body.text("appAccountToken"), token.isEmpty || token.isUUID else {
            throw StoreAPIError.badConsumptionAccountToken
        }
        for field in Self.numbers {
            guard let number = body.integer(field.name), (0...field.maximum).contains(number) else {
                throw field.error
            }
        }
        guard body.has("refundPreference") else { return .accepted }
        guard let preference = body.integer("refundPreference"), (0...Self.largestRefundPreference).contains(preference)
        else { throw StoreAPIError.badRefundPreference }
        return .accepted
    }
}
