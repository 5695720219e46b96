import Foundation
import StrictJSON
import Subscriptions

/// A request of the publisher's backend as it is sent to a node.
struct BackendCall: Hashable, Sendable {
    let method: String
    let path: String
    /// JSON.
    let body: [UInt8]
}

/// Writes what the publisher's backend sends. A device posts what the store signs for it when it posts.
struct BackendCallWriter: Sendable {
    let store: StoreIdentity
    let ledger: Ledger
    let truths: TruthBoard
    let signer: PayloadSigner

    /// - Throws: only when the system's randomness fails.
    func call(_ request: BackendRequest) throws -> BackendCall {
        switch request.action {
        case .post(let id, let restores):
            let signed = try self.signedTransaction(of: id)
            return Self.call("POST", ["transactions"]) { json in
                json.member("signedTransaction", signed)
                json.member("customerId", request.customerID)
                json.member("restore", ifPresent: restores ? true : nil)
            }
        case .register(let token):
            return Self.call("PUT", ["customers", request.customerID]) { json in
                json.member("appAccountTokens") { $0.array { $0.value(token) } }
            }
        case .move(let target):
            return Self.call("POST", ["customers", request.customerID, "move"]) { $0.member("to", target) }
        case .grant(let grant):
            return Self.call("PUT", ["customers", request.customerID, "grants", grant.id]) { json in
                json.member("entitlement", grant.entitlement)
                json.member("reason", "paid in the web shop")
                json.member("source", "web")
                json.member("from", grant.from.description)
                json.member("until", grant.until.description)
                json.member("renews", true)
            }
        }
    }

    /// The newest one whose period has begun.
    private func signedTransaction(of originalTransactionID: String) throws -> String {
        let settled = self.truths.settled
        guard let page = self.ledger.page(ofTransaction: originalTransactionID) else {
            preconditionFailure("only what was sold is posted")
        }
        let transactions = page.book.transactions
        let transaction = transactions.last { $0.purchaseDate <= settled } ?? transactions[0]
        let payload = TransactionPayload(
            transaction: transaction, profile: page.book.profile, store: self.store.selling(to: page.book.profile),
            signedDate: page.signedDate(settled: settled))
        return String(decoding: try self.signer.sign(payload.json), as: UTF8.self)
    }

    private static func call(
        _ method: String, _ path: [String], _ body: (inout JSONWriter) -> Void
    ) -> BackendCall {
        var json = JSONWriter()
        json.object(body)
        let unreserved = CharacterSet.urlPathAllowed.subtracting(CharacterSet(charactersIn: "/;"))
        let parts = path.map { $0.addingPercentEncoding(withAllowedCharacters: unreserved) ?? $0 }
        return BackendCall(method: method, path: "/v1/" + parts.joined(separator: "/"), body: json.bytes)
    }
}
