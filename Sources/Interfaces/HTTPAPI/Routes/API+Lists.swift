import Hummingbird
import SubscriptionService
import Subscriptions

/// Events of many streams.
extension API {
    /// A page and a cursor, or a stream for whoever asks for one.
    func changes(_ call: Call) async throws -> Response {
        if call.fields.accept?.contains(ServerSentEvents.contentType) ?? false { return try await self.follow(call) }
        let page = try await self.service.changes(after: try call.query.text("after"), limit: try call.query.limit())
        return .json(reserving: 4_096) { page.write(to: &$0) }
    }

    private func follow(_ call: Call) async throws -> Response {
        let limits = call.admission.limits
        guard try call.query.text("limit") == nil else {
            throw Problem.invalidParameter("limit", "a stream comes in one piece")
        }
        let place = try call.fields.lastEventID?.bounded(as: "Last-Event-ID") ?? call.query.text("after")
        guard let stream = call.admission.takeStream() else {
            throw Problem(.tooBusy, "\(limits.streams) streams are open already")
        }
        // Before the answer begins, so that a cursor of another log is a problem like any other.
        let feed = try await self.service.feed(after: place)
        return Response(
            status: .ok, headers: [.contentType: ServerSentEvents.contentType, .cacheControl: "no-store"],
            body: ResponseBody { writer in
                var events = ServerSentEvents(feed: feed, heartbeat: limits.heartbeat, connection: call.connection)
                try await events.write(to: &writer)
                try await writer.finish(nil)
                withExtendedLifetime(stream) {}
            })
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
