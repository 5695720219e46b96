import StrictJSON
import Subscriptions

/// Lists of a customer's transactions.
extension StoreAPI {
    private static let pageSize = 20

    /// By date of modification. The last revision of an ascending list is good for later: it leads to what is new and to
    /// what was modified.
    /// - Parameter isKept: which transactions the endpoint lists at all.
    func transactionHistory(
        _ call: StoreCall, of isKept: (StoreTransaction) -> Bool = { _ in true }
    ) throws -> StoreReply {
        try call.requireID()
        let filter = try TransactionFilter(call)
        let revision = try call.value("revision").map { text in
            guard let revision = Revision(text: text), revision.kind == filter.order else {
                throw StoreAPIError.badRevision
            }
            return revision
        }
        let settled = self.records.truths.settled
        let pages = try self.pages(call)
        var listed: [Listed] = pages.flatMap { page in
            page.entries.filter { filter.includes($0.transaction) && isKept($0.transaction) }
                .map { Listed(page: page, transaction: $0.transaction, place: $0.revision) }
        }
        if filter.isAscending {
            listed = listed.filter { $0.place > revision?.place ?? 0 }.sorted { $0.place < $1.place }
        } else {
            listed = listed.filter { $0.place < revision?.place ?? .max }.sorted { $0.place > $1.place }
        }
        return .json(try self.json(listed, revision ?? Revision(kind: filter.order, place: 0), settled, for: call))
    }

    /// What was paid back, by date of revocation.
    func refundHistory(_ call: StoreCall) throws -> StoreReply {
        try call.requireID()
        let revision = try call.value("revision").map { text in
            guard let revision = Revision(text: text), revision.kind == .refunds else {
                throw StoreAPIError.badRevision
            }
            return revision
        }
        let settled = self.records.truths.settled
        let refunds: [Listed] = try self.pages(call).flatMap { page in
            page.book.transactions.compactMap { transaction in
                guard let revocation = transaction.revocation, revocation.kind != .familyRevoke else { return nil }
                return Listed(page: page, transaction: transaction, place: revocation.date.milliseconds)
            }
        }
        let listed = refunds.filter { $0.place > revision?.place ?? 0 }.sorted { $0.place < $1.place }
        return .json(try self.json(listed, revision ?? Revision(kind: .refunds, place: 0), settled, for: call))
    }

    private struct Listed {
        let page: Ledger.Page
        let transaction: StoreTransaction
        let place: Int64
    }

    private func pages(_ call: StoreCall) throws -> [Ledger.Page] {
        let pages = self.pages(ofCustomerWith: call.id)
        guard !pages.isEmpty else { throw StoreAPIError.transactionIDNotFound }
        return pages
    }

    private func json(
        _ listed: [Listed], _ before: Revision, _ settled: Moment, for call: StoreCall
    ) throws -> [UInt8] {
        // Two refunds of one moment stay together, so that no page begins between them.
        var page = call.list(Array(listed.prefix(Self.pageSize)))
        if listed.count > page.count, let next = listed.dropFirst(page.count).first?.place, page.first?.place != next {
            page.removeAll { $0.place == next }
        }
        let revision = page.last.map { Revision(kind: before.kind, place: $0.place) } ?? before
        var json = JSONWriter(reservingCapacity: 6_144 * (page.count + 1))
        try json.object { json in
            json.member("revision", revision.text)
            json.write(self.store)
            json.member("hasMore", !page.isEmpty && page.count < listed.count)
            try json.member("signedTransactions") { json in
                try json.array { json in
                    for item in page {
                        json.value(
                            signed: try self.sign(item.transaction, of: item.page, settled: settled, for: call))
                    }
                }
            }
        }
        return json.bytes
    }
}
