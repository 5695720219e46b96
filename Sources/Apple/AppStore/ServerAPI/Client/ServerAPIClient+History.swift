import Subscriptions
package import Waiting

extension ServerAPIClient {
    /// Get Transaction History, one page.
    /// - Parameters:
    ///   - filter: the same on every page.
    ///   - revision: of the page before; nil for the first.
    package func transactionHistory(
        of anyTransactionID: String, _ filter: HistoryFilter = .init(), revision: String? = nil,
        urgency: RequestUrgency = .urgent
    ) async throws(ServerAPIError) -> HistoryPage {
        let id = try anyTransactionID.pathSegment("the transaction id")
        let call = ServerAPICall(
            .transactionHistory, .get, "/inApps/v2/history/\(id)", query: filter.query(revision: revision))
        return try await self.perform(call, urgency, HistoryPage.init(json:))
    }

    /// Get Transaction History, page after page.
    /// - Parameter revision: where an earlier reading in ascending order with the same filter came to.
    package func transactionHistoryPages(
        of anyTransactionID: String, _ filter: HistoryFilter = .init(), after revision: String? = nil,
        urgency: RequestUrgency = .urgent
    ) -> PageSequence<HistoryPage> {
        PageSequence(after: revision) { revision throws(ServerAPIError) in
            try await self.transactionHistory(of: anyTransactionID, filter, revision: revision, urgency: urgency)
        }
    }

    /// Get Refund History, one page: refunded purchases of all kinds by revocationDate, oldest first.
    package func refundHistory(
        of anyTransactionID: String, revision: String? = nil, urgency: RequestUrgency = .urgent
    ) async throws(ServerAPIError) -> HistoryPage {
        let id = try anyTransactionID.pathSegment("the transaction id")
        let call = ServerAPICall(
            .refundHistory, .get, "/inApps/v2/refund/lookup/\(id)",
            query: revision.map { [(name: "revision", value: $0)] } ?? [])
        return try await self.perform(call, urgency, HistoryPage.init(json:))
    }

    /// Get Refund History, page after page.
    package func refundHistoryPages(
        of anyTransactionID: String, after revision: String? = nil, urgency: RequestUrgency = .urgent
    ) -> PageSequence<HistoryPage> {
        PageSequence(after: revision) { revision throws(ServerAPIError) in
            try await self.refundHistory(of: anyTransactionID, revision: revision, urgency: urgency)
        }
    }
}

extension HistoryFilter {
    fileprivate func query(revision: String?) -> [(name: String, value: String)] {
        var query: [(name: String, value: String)] = []
        func add(_ name: String, _ values: [String]) { query += values.map { (name: name, value: $0) } }
        add("revision", revision.map { [$0] } ?? [])
        add("startDate", self.startDate.map { [String($0.milliseconds)] } ?? [])
        add("endDate", self.endDate.map { [String($0.milliseconds)] } ?? [])
        add("productId", self.productIDs)
        add("productType", self.productTypes)
        add("subscriptionGroupIdentifier", self.subscriptionGroupIdentifiers)
        add("inAppOwnershipType", self.ownershipType.map { [$0] } ?? [])
        add("sort", [self.ascending ? "ASCENDING" : "DESCENDING"])
        add("revoked", self.revoked.map { [String($0)] } ?? [])
        return query
    }
}
