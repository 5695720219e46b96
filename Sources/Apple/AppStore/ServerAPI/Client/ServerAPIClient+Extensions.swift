import StrictJSON
package import Waiting

extension ServerAPIClient {
    /// Extend a Subscription Renewal Date. Not repeated when nobody knows whether Apple has done it.
    package func extendRenewalDate(
        of originalTransactionID: String, _ request: ExtensionRequest, urgency: RequestUrgency = .urgent
    ) async throws(ServerAPIError) -> ExtensionResult {
        let id = try originalTransactionID.pathSegment("the transaction id")
        try Self.check(days: request.days, identifier: request.requestIdentifier)
        let call = ServerAPICall(.extendRenewalDate, .put, "/inApps/v1/subscriptions/extend/\(id)") {
            $0.member("extendByDays", Int64(request.days))
            $0.member("extendReasonCode", Int64(request.reason.rawValue))
            $0.member("requestIdentifier", request.requestIdentifier)
        }
        return try await self.perform(call, urgency, ExtensionResult.init(json:))
    }

    /// Extend Subscription Renewal Dates for All Active Subscribers. Apple works on it for hours or days.
    /// - Returns: the request's identifier, as Apple repeats it.
    package func extendRenewalDates(
        _ request: MassExtensionRequest, urgency: RequestUrgency = .urgent
    ) async throws(ServerAPIError) -> String {
        try Self.check(days: request.days, identifier: request.requestIdentifier)
        let call = ServerAPICall(.massExtension, .post, "/inApps/v1/subscriptions/extend/mass") { json in
            json.member("requestIdentifier", request.requestIdentifier)
            json.member("extendByDays", Int64(request.days))
            json.member("extendReasonCode", Int64(request.reason.rawValue))
            json.member("productId", request.productID)
            if !request.storefrontCountryCodes.isEmpty {
                json.member("storefrontCountryCodes") { json in
                    json.array { json in request.storefrontCountryCodes.forEach { json.value($0) } }
                }
            }
        }
        return try await self.perform(call, urgency) { body throws(AnswerProblem) in
            try String(member: "requestIdentifier", of: body)
        }
    }

    /// Get Status of Subscription Renewal Date Extensions.
    package func massExtensionStatus(
        productID: String, requestIdentifier: String, urgency: RequestUrgency = .urgent
    ) async throws(ServerAPIError) -> MassExtensionStatus {
        let product = try productID.pathSegment("the product id")
        let identifier = try requestIdentifier.pathSegment("the request identifier")
        let call = ServerAPICall(
            .massExtensionStatus, .get, "/inApps/v1/subscriptions/extend/mass/\(product)/\(identifier)")
        return try await self.perform(call, urgency, MassExtensionStatus.init(json:))
    }

    private static func check(days: Int, identifier: String) throws(ServerAPIError) {
        guard (1...90).contains(days) else { throw ServerAPIError(.refused, "an extension is of 1 to 90 days") }
        guard (1...128).contains(identifier.count) else {
            throw ServerAPIError(.refused, "a request identifier has 1 to 128 characters")
        }
    }
}
