import ByteCoding
import Foundation
import StrictJSON
import Subscriptions

/// What was sent, and what became of it.
extension StoreAPI {
    private static let pageSize = 20

    /// What was first sent within a time, oldest first.
    func notificationHistory(_ call: StoreCall) throws -> StoreReply {
        let body = try call.readBody()
        let filter = try NotificationFilter(body, now: self.time.now, goesBack: self.records.history.length)
        var customer: String?
        if let id = filter.transactionID {
            guard let page = self.page(ofTransaction: id) else {
                throw StoreAPIError.transactionIDNotFound
            }
            customer = page.book.profile.appTransactionID
        }
        let place = try call.value("paginationToken").map { text in
            guard let token = PaginationToken(text: text), token.filter == filter.fingerprint else {
                throw StoreAPIError.badPaginationToken
            }
            return token.place
        }
        let page = self.records.history.page(
            from: filter.start, to: filter.end, after: place, limit: Self.pageSize
        ) { record in
            filter.includes(record) && (customer == nil || record.dispatch.customer == customer)
        }
        guard let page else { throw StoreAPIError.paginationTokenExpired }
        return .json(try self.json(call.list(page.records), page.hasMore, filter, for: call))
    }

    private func json(
        _ records: [NotificationHistory.Record], _ hasMore: Bool, _ filter: NotificationFilter, for call: StoreCall
    ) throws -> [UInt8] {
        var json = JSONWriter(reservingCapacity: 24_576 * (records.count + 1))
        try json.object { json in
            try json.member("notificationHistory") { json in
                try json.array { json in
                    for record in records { try json.object { try self.write(record, for: call, to: &$0) } }
                }
            }
            json.member("hasMore", hasMore && !records.isEmpty)
            guard hasMore, let last = records.last else { return }
            let token = PaginationToken(
                place: NotificationHistory.Place(date: last.date, uuid: last.dispatch.uuid), filter: filter.fingerprint)
            json.member("paginationToken", token.text)
        }
        return json.bytes
    }

    /// As it was sent.
    private func write(_ record: NotificationHistory.Record, for call: StoreCall, to json: inout JSONWriter) throws {
        let signer = NotificationSigner(store: self.store, signer: self.signer(for: call))
        let signed =
            call.trouble.forges
            ? try signer.sign(record.dispatch.notification) : try record.dispatch.signed(by: signer)
        json.member("signedPayload", signed: signed.signedPayload)
        json.member("sendAttempts") { json in
            json.array { json in
                for attempt in record.attempts {
                    json.object { json in
                        json.member("attemptDate", attempt.date.milliseconds)
                        json.member("sendAttemptResult", attempt.result.rawValue)
                    }
                }
            }
        }
    }

    // MARK: Test

    func requestTest(_ call: StoreCall) async throws -> StoreReply {
        guard self.delivers else { throw StoreAPIError.noNotificationURL }
        guard case .testing(let uuid, let signedDate) = try await self.place(.test) else {
            throw StoreAPIError.internalError
        }
        var json = JSONWriter()
        json.object { $0.member("testNotificationToken", "\(uuid)_\(signedDate.milliseconds)") }
        return .json(json.bytes)
    }

    func testStatus(_ call: StoreCall) throws -> StoreReply {
        let parts = call.id.split(separator: "_", omittingEmptySubsequences: false)
        guard parts.count == 2, UUID(uuidString: String(parts[0])) != nil, Int64(parts[1]) != nil else {
            throw StoreAPIError.badTestNotificationToken
        }
        guard let record = self.records.history.record(of: String(parts[0])),
            record.dispatch.notification.type == "TEST"
        else { throw StoreAPIError.testNotificationNotFound }
        var json = JSONWriter(reservingCapacity: 8_192)
        try json.object { try self.write(record, for: call, to: &$0) }
        return .json(json.bytes)
    }

    // MARK: Orders

    /// Waits until it has been carried out.
    ///
    /// - Throws: `StoreAPIError` for what was refused, and when the simulation has stopped.
    func place(_ order: StoreOrder) async throws -> StoreOrder.Outcome {
        guard let outcome = await self.records.desk.place(order) else { throw StoreAPIError.internalErrorRetryable }
        if case .refused(let error) = outcome { throw error }
        return outcome
    }
}
