import Hummingbird
import SubscriptionRuntime
import Subscriptions

/// Events of many streams.
extension API {
    /// A page and a cursor.
    func changes(_ call: Call) async throws -> Response {
        guard !(call.fields.accept?.contains("text/event-stream") ?? false) else {
            throw Problem(.notAcceptable, "the change stream comes in pages: ask for application/json")
        }
        let page = try await self.service.changes(after: try call.query.text("after"), limit: try call.query.limit())
        return .json(reserving: 4_096) { page.write(to: &$0) }
    }

    func records(_ call: Call) async throws -> Response {
        let page = try await self.service.records(
            kind: try call.query.word("type", as: RecordType.self)?.kind, after: try call.query.text("after"),
            limit: try call.query.limit())
        return .json(reserving: 4_096) { page.write(to: &$0) }
    }
}

/// Apple's notification types that are recorded beside subscriptions.
enum RecordType: String, CaseIterable {
    case test = "TEST"
    case externalPurchaseToken = "EXTERNAL_PURCHASE_TOKEN"
    case renewalExtension = "RENEWAL_EXTENSION"
    case rescindConsent = "RESCIND_CONSENT"

    var kind: StreamKind {
        switch self {
        case .test: .test
        case .externalPurchaseToken: .externalPurchase
        case .renewalExtension: .massExtension
        case .rescindConsent: .appTransaction
        }
    }
}
