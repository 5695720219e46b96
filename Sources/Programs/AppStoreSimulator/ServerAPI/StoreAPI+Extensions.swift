import StrictJSON
import Subscriptions

/// Renewal dates that publishers move.
extension StoreAPI {
    private static let days: ClosedRange<Int64> = 1...90
    private static let reasons: ClosedRange<Int64> = 0...3
    private static let longestRequestIdentifier = 128

    /// One subscription's.
    func extend(_ call: StoreCall) async throws -> StoreReply {
        try call.requireID(else: .badOriginalTransactionID)
        let body = try call.readBody()
        let days = try Self.days(of: body)
        guard let request = body.text("requestIdentifier"),
            (1...Self.longestRequestIdentifier).contains(request.utf8.count)
        else { throw StoreAPIError.badRequestIdentifier }
        let outcome = try await self.place(.extend(originalTransactionID: call.id, days: days))
        guard case .extended(let webOrderLineItemID, let effectiveDate) = outcome else {
            throw StoreAPIError.internalError
        }
        var json = JSONWriter()
        json.object { json in
            json.member("originalTransactionId", call.id)
            json.member("webOrderLineItemId", ifPresent: webOrderLineItemID)
            json.member("success", true)
            json.member("effectiveDate", effectiveDate.milliseconds)
        }
        return .json(json.bytes)
    }

    /// Every active subscriber's of a product. The same request again changes nothing.
    func extendEverybody(_ call: StoreCall) async throws -> StoreReply {
        let body = try call.readBody()
        let days = try Self.days(of: body)
        guard let request = body.text("requestIdentifier"), request.isUUID else {
            throw StoreAPIError.badRequestIdentifier
        }
        guard let product = body.text("productId"),
            self.products.contains(where: { $0.id == product && $0.plan != nil })
        else { throw StoreAPIError.badProductID }
        let wanted = StoreOrder.MassExtension(
            requestIdentifier: request.lowercased(), productID: product, days: days,
            storefronts: try Self.storefronts(of: body))
        _ = try await self.place(.extendEverybody(wanted))
        var json = JSONWriter()
        json.object { $0.member("requestIdentifier", request) }
        return .json(json.bytes)
    }

    func massExtensionStatus(_ call: StoreCall) throws -> StoreReply {
        let (product, request) = (call.parameters[0], call.parameters[1])
        guard request.isUUID else { throw StoreAPIError.badRequestIdentifier }
        guard let report = self.records.ledger.massExtension(request.lowercased()),
            report.summary.productID == product
        else { throw StoreAPIError.massExtensionNotFound }
        let isComplete = self.time.now >= report.completeDate
        var json = JSONWriter()
        json.object { json in
            json.member("requestIdentifier", request)
            json.member("complete", isComplete)
            guard isComplete else { return }
            json.member("completeDate", report.completeDate.milliseconds)
            json.member("succeededCount", report.summary.succeeded)
            json.member("failedCount", report.summary.failed)
        }
        return .json(json.bytes)
    }

    private static func days(of body: RequestBody) throws(StoreAPIError) -> Int64 {
        guard let days = body.integer("extendByDays"), Self.days.contains(days) else { throw .badExtendByDays }
        guard let reason = body.integer("extendReasonCode"), Self.reasons.contains(reason) else {
            throw .badExtendReasonCode
        }
        return days
    }

    /// nil: all.
    private static func storefronts(of body: RequestBody) throws(StoreAPIError) -> [String]? {
        guard body.has("storefrontCountryCodes") else { return nil }
        guard let codes = body.texts("storefrontCountryCodes") else { throw .badStorefront }
        guard !codes.isEmpty else { throw .emptyStorefronts }
        for code in codes where code.utf8.count != 3 || !code.utf8.allSatisfy({ (0x41...0x5A).contains($0) }) {
            throw .badStorefront
        }
        return codes
    }
}
