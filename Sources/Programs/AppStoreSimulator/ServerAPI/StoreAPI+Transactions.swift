import StrictJSON
import Subscriptions

/// Single transactions, and what clients say of them.
extension StoreAPI {
    func transactionInfo(_ call: StoreCall) throws -> StoreReply {
        let (page, transaction, settled) = try self.transaction(call)
        var json = JSONWriter(reservingCapacity: 8_192)
        try json.object { json in
            json.member(
                "signedTransactionInfo", signed: try self.sign(transaction, of: page, settled: settled, for: call))
        }
        return .json(json.bytes)
    }

    func transaction(_ call: StoreCall) throws -> (Ledger.Page, StoreTransaction, settled: Moment) {
        try call.requireID()
        let settled = self.records.truths.settled
        guard let page = self.page(ofTransaction: call.id),
            let transaction = page.book.transactions.first(where: { $0.id == call.id })
        else {
            let isCustomer = !self.pages(ofCustomerWith: call.id).isEmpty
            throw isCustomer ? StoreAPIError.appTransactionIDNotSupported : .transactionIDNotFound
        }
        return (page, transaction, settled)
    }

    func appTransaction(_ call: StoreCall) throws -> StoreReply {
        try call.requireID()
        let settled = self.records.truths.settled
        let pages = self.pages(ofCustomerWith: call.id)
        guard let first = pages.first, let purchase = first.book.transactions.first else {
            throw StoreAPIError.transactionIDNotFound
        }
        let payload = AppTransactionPayload(
            profile: first.book.profile, store: self.store,
            originalPurchaseDate: first.book.profile.arrival ?? purchase.purchaseDate,
            signedDate: first.signedDate(settled: settled))
        var json = JSONWriter(reservingCapacity: 8_192)
        try json.object { json in
            json.member("signedAppTransactionInfo", signed: try self.signer(for: call).sign(payload.json))
        }
        return .json(json.bytes)
    }

    /// Nothing follows from it in this store.
    func finish(_ call: StoreCall) throws -> StoreReply {
        _ = try self.transaction(call)
        return .done
    }

    func setAppAccountToken(_ call: StoreCall) async throws -> StoreReply {
        try call.requireID()
        let body = try call.readBody()
        guard let token = body.text("appAccountToken"), token.isUUID else { throw StoreAPIError.badAppAccountToken }
        let (page, _, _) = try self.transaction(call)
        guard page.book.originalTransactionID == call.id else { throw StoreAPIError.notOriginalTransaction }
        _ = try await self.place(.setAppAccountToken(token.lowercased(), originalTransactionID: call.id))
        return .done
    }

    /// The ids of orders that do not exist are invalid, which is no error.
    func lookUpOrder(_ call: StoreCall) throws -> StoreReply {
        let settled = self.records.truths.settled
        let id = StoreOrderID.transaction(call.id)
        let page = id.flatMap { self.page(ofTransaction: $0) }
        let transactions = page?.book.transactions.filter { $0.id == id } ?? []
        var json = JSONWriter(reservingCapacity: 8_192)
        try json.object { json in
            json.member("status", transactions.isEmpty ? 1 : 0)
            guard let page, !transactions.isEmpty else { return }
            try json.member("signedTransactions") { json in
                try json.array { json in
                    for transaction in call.list(transactions) {
                        json.value(signed: try self.sign(transaction, of: page, settled: settled, for: call))
                    }
                }
            }
        }
        return .json(json.bytes)
    }

    // MARK: Consumption

    private static let deliveryStatuses: Set = [
        "DELIVERED", "UNDELIVERED_QUALITY_ISSUE", "UNDELIVERED_WRONG_ITEM", "UNDELIVERED_SERVER_OUTAGE",
        "UNDELIVERED_OTHER",
    ]

    /// Checked and accepted: the store decides on refunds without it.
    func takeConsumption(_ call: StoreCall) throws -> StoreReply {
        let (page, _, _) = try self.transaction(call)
        let body = try call.readBody()
        guard body.bool("customerConsented") == true else { throw StoreAPIError.badCustomerConsented }
        guard let delivery = body.text("deliveryStatus"), Self.deliveryStatuses.contains(delivery) else {
            throw StoreAPIError.badDeliveryStatus
        }
        guard body.bool("sampleContentProvided") != nil else { throw StoreAPIError.badSampleContentProvided }
        var isSubscription = false
        if case .subscription = page.book { isSubscription = true }
        let percentage = body.integer("consumptionPercentage")
        if body.has("consumptionPercentage") {
            guard !isSubscription else { throw StoreAPIError.consumptionOfSubscription }
            // Apple has names for these two errors, but no known numbers.
            guard let percentage, (0...100_000).contains(percentage), percentage == 0 || delivery == "DELIVERED" else {
                throw StoreAPIError.badRequest
            }
        }
        guard body.has("refundPreference") else { return .accepted }
        switch body.text("refundPreference") {
        case "DECLINE", "GRANT_FULL": return .accepted
        case "GRANT_PRORATED" where isSubscription || (1..<100_000).contains(percentage ?? 0): return .accepted
        default: throw StoreAPIError.badRefundPreference
        }
    }
}

/// The order id of a simulated transaction, as it stands in the customer's receipt: its number in another notation.
package enum StoreOrderID {
    package static func order(ofTransaction id: String) -> String? {
        UInt64(id).map { "M" + String($0, radix: 36, uppercase: true) }
    }

    static func transaction(_ order: String) -> String? {
        guard order.hasPrefix("M"), let number = UInt64(order.dropFirst(), radix: 36) else { return nil }
        return Self.order(ofTransaction: "\(number)") == order ? "\(number)" : nil
    }
}
