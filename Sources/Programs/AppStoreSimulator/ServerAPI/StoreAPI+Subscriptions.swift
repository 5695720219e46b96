import StrictJSON
import Subscriptions

/// What a customer has, and how it stands.
extension StoreAPI {
    /// All of the customer's subscriptions, by group.
    func statuses(_ call: StoreCall) throws -> StoreReply {
        try call.requireID()
        let wanted = try call.values("status").map { text in
            guard let status = Int(text), (1...5).contains(status) else { throw StoreAPIError.badStatus }
            return status
        }
        let settled = self.records.truths.settled
        let items = try self.items(of: call.id, settled: settled).filter {
            wanted.isEmpty || wanted.contains($0.status)
        }
        let groups = items.reduce(into: [String]()) { if !$0.contains($1.group) { $0.append($1.group) } }
        var json = JSONWriter(reservingCapacity: 16_384)
        try json.object { json in
            json.write(self.store)
            try json.member("data") { json in
                try json.array { json in
                    for group in call.list(groups) {
                        try self.write(group, items.filter { $0.group == group }, for: call, to: &json)
                    }
                }
            }
        }
        return .json(json.bytes)
    }

    private struct Item {
        let group: String
        let status: Int
        let statement: StoreNotification.Purchase
        let signedDate: Moment
    }

    private func items(of id: String, settled: Moment) throws -> [Item] {
        let pages = self.pages(ofCustomerWith: id)
        guard !pages.isEmpty else { throw StoreAPIError.transactionIDNotFound }
        return pages.compactMap { page in
            guard case .subscription(let account) = page.book, let group = account.newest.product.plan?.group else {
                return nil
            }
            let signedDate = page.signedDate(settled: settled)
            let statement = account.statement(about: account.newest, at: signedDate)
            return statement.status.map {
                Item(group: group, status: $0, statement: statement, signedDate: signedDate)
            }
        }
    }

    private func write(_ group: String, _ items: [Item], for call: StoreCall, to json: inout JSONWriter) throws {
        try json.object { json in
            json.member("subscriptionGroupIdentifier", group)
            try json.member("lastTransactions") { json in
                try json.array { json in
                    for item in items { try self.write(item, for: call, to: &json) }
                }
            }
        }
    }

    private func write(_ item: Item, for call: StoreCall, to json: inout JSONWriter) throws {
        let transaction = TransactionPayload(
            transaction: item.statement.transaction, profile: item.statement.profile, store: self.store,
            signedDate: item.signedDate)
        let renewal = item.statement.renewal.map {
            RenewalPayload(
                renewal: $0, profile: item.statement.profile, environment: self.store.environment,
                signedDate: item.signedDate)
        }
        try json.object { json in
            json.member("originalTransactionId", item.statement.transaction.originalID)
            json.member("status", Int64(item.status))
            json.member("signedTransactionInfo", signed: try self.signer(for: call).sign(transaction.json))
            if let renewal { json.member("signedRenewalInfo", signed: try self.signer(for: call).sign(renewal.json)) }
        }
    }
}

extension JSONWriter {
    /// What most answers say of the app.
    mutating func write(_ store: StoreIdentity) {
        self.member("environment", store.environment.rawValue)
        self.write(app: store)
    }

    /// - Parameter jws: base64url and dots: nothing to escape.
    mutating func member(_ key: String, signed jws: [UInt8]) {
        self.member(key) { $0.value(signed: jws) }
    }

    mutating func value(signed jws: [UInt8]) {
        let quote = [UInt8(ascii: "\"")]
        self.raw(quote + jws + quote)
    }
}
