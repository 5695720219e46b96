package import HTTPTypes
import Hummingbird
import Subscriptions

/// One request of the contract. What it is called and who may send it can be read; handling it is for the server alone.
package struct Route: Sendable {
    typealias Handler = @Sendable (API, Call) async throws -> Response

    package let method: HTTPRequest.Method
    /// Braces stand for one segment.
    package let path: String
    package let access: Access
    /// The listener for the outside world has it as well.
    package let isPublicListener: Bool
    /// Answered whatever else is going on: the pages by which an operator sees an overload.
    let isUnlimited: Bool
    /// Its handler reads the body; all others leave it alone.
    package let takesBody: Bool
    /// What the query may hold.
    package let parameters: [String]
    let handler: Handler

    init(
        _ method: HTTPRequest.Method, _ path: String, _ access: Access, isPublicListener: Bool = false,
        isUnlimited: Bool = false, takesBody: Bool = false, parameters: [String] = [], handler: @escaping Handler
    ) {
        self.method = method
        self.path = path
        self.access = access
        self.isPublicListener = isPublicListener
        self.isUnlimited = isUnlimited
        self.takesBody = takesBody
        self.parameters = parameters
        self.handler = handler
    }

    /// A request beside the contract, for measurements and for programs that embed a node: JSON in, 200 and JSON out.
    /// It passes through all that the contract's requests pass through, and needs what `POST /v1/check` needs.
    package init(post path: String, answer: @escaping @Sendable ([UInt8]) async throws -> [UInt8]) {
        self.init(.post, path, .scope(.read), takesBody: true) { _, call in
            let bytes = try await call.withBody(answer)
            return Response(
                status: .ok, headers: [.contentType: "application/json"],
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
        }
    }
}

extension Route {
    private static let stream = ["environment", "bundleId"]
    private static let page = ["after", "limit"]

    /// All there are; `proto/openapi.yaml` is held against this.
    package static let all: [Route] = [
        Route(.post, "/v1/apple/notifications", .signature, isPublicListener: true, takesBody: true) {
            try await $0.receiveNotification($1)
        },
        Route(.post, "/v1/apple/test-notifications", .scope(.admin), takesBody: true) {
            try await $0.requestTestNotification($1)
        },
        Route(
            .get, "/v1/apple/test-notifications/{testNotificationToken}", .scope(.read), parameters: stream
        ) { try await $0.testNotification($1) },
        Route(.post, "/v1/transactions", .scope(.write), takesBody: true) { try await $0.receiveTransaction($1) },
        Route(
            .get, "/v1/subscriptions/{originalTransactionId}", .scope(.read),
            parameters: stream + ["at", "knownAt", "consistency"]
        ) { try await $0.show(.subscription, $1) },
        Route(
            .get, "/v1/subscriptions/{originalTransactionId}/events", .scope(.read),
            parameters: stream + page + ["evidence"]
        ) { try await $0.events(of: .subscription, $1) },
        Route(
            .get, "/v1/subscriptions/{originalTransactionId}/explain", .scope(.read), parameters: stream + ["at"]
        ) { try await $0.explain($1) },
        Route(
            .get, "/v1/purchases/{originalTransactionId}", .scope(.read),
            parameters: stream + ["at", "knownAt", "consistency"]
        ) { try await $0.show(.purchase, $1) },
        Route(
            .get, "/v1/purchases/{originalTransactionId}/events", .scope(.read),
            parameters: stream + page + ["evidence"]
        ) { try await $0.events(of: .purchase, $1) },
        Route(
            .post, "/v1/subscriptions/{originalTransactionId}/refresh", .scope(.admin), parameters: stream
        ) { try await $0.refresh($1) },
        Route(
            .post, "/v1/subscriptions/{originalTransactionId}/extend", .scope(.admin), takesBody: true,
            parameters: stream
        ) { try await $0.extend($1) },
        Route(
            .put, "/v1/subscriptions/{originalTransactionId}/consumption", .scope(.admin), takesBody: true,
            parameters: stream
        ) { try await $0.sendConsumption(about: .subscription, $1) },
        Route(
            .put, "/v1/purchases/{originalTransactionId}/consumption", .scope(.admin), takesBody: true,
            parameters: stream
        ) { try await $0.sendConsumption(about: .purchase, $1) },
        Route(
            .get, "/v1/customers", .scope(.read),
            parameters: page + [
                "environment", "bundleId", "state", "product", "expiresBefore", "expiresFrom", "conflicts", "unclaimed",
                "duplicates",
            ]
        ) { try await $0.customers($1) },
        Route(
            .get, "/v1/customers/{customerId}", .scope(.read), parameters: ["environment", "at", "knownAt"]
        ) { try await $0.customer($1) },
        Route(
            .get, "/v1/customers/{customerId}/entitlements", .scope(.read),
            parameters: ["environment", "at", "knownAt"]
        ) { try await $0.entitlements($1) },
        Route(.put, "/v1/customers/{customerId}", .scope(.write), takesBody: true, parameters: ["environment"]) {
            try await $0.putCustomer($1)
        },
        Route(.delete, "/v1/customers/{customerId}", .scope(.admin)) { try await $0.deleteCustomer($1) },
        Route(
            .post, "/v1/customers/{customerId}/move", .scope(.write), takesBody: true,
            parameters: ["environment", "preview"]
        ) { try await $0.moveCustomer($1) },
        Route(
            .post, "/v1/customers/{customerId}/undo", .scope(.write), takesBody: true, parameters: ["environment"]
        ) { try await $0.undo($1) },
        Route(
            .post, "/v1/customers/{customerId}/launch", .scope(.write), takesBody: true, parameters: ["environment"]
        ) { try await $0.launch($1) },
        Route(.post, "/v1/customers/{customerId}/grants", .scope(.write), takesBody: true) {
            try await $0.makeGrant($1)
        },
        Route(.put, "/v1/customers/{customerId}/grants/{grantId}", .scope(.write), takesBody: true) {
            try await $0.putGrant($1)
        },
        Route(.delete, "/v1/customers/{customerId}/grants/{grantId}", .scope(.write)) {
            try await $0.revokeGrant($1)
        },
        Route(
            .put, "/v1/customers/{customerId}/subscriptions/{originalTransactionId}", .scope(.write), takesBody: true,
            parameters: stream + ["preview"]
        ) { try await $0.link(.subscription, $1) },
        Route(
            .delete, "/v1/customers/{customerId}/subscriptions/{originalTransactionId}", .scope(.write),
            parameters: stream + ["preview"]
        ) { try await $0.unlink(.subscription, $1) },
        Route(
            .put, "/v1/customers/{customerId}/purchases/{originalTransactionId}", .scope(.write), takesBody: true,
            parameters: stream + ["preview"]
        ) { try await $0.link(.purchase, $1) },
        Route(
            .delete, "/v1/customers/{customerId}/purchases/{originalTransactionId}", .scope(.write),
            parameters: stream + ["preview"]
        ) { try await $0.unlink(.purchase, $1) },
        Route(
            .delete, "/v1/customers/{customerId}/conflicts/{originalTransactionId}", .scope(.write), parameters: stream
        ) { try await $0.dismissConflict($1) },
        Route(
            .delete, "/v1/customers/{customerId}/tokens/{token}", .scope(.write), parameters: ["environment"]
        ) { try await $0.release(.token, $1) },
        Route(
            .delete, "/v1/customers/{customerId}/app-transactions/{appTransactionId}", .scope(.write),
            parameters: ["environment"]
        ) { try await $0.release(.account, $1) },
        Route(.get, "/v1/find", .scope(.read), parameters: ["q"]) { try await $0.find($1) },
        Route(.get, "/v1/notifications", .scope(.read), parameters: page + ["type"]) { try await $0.records($1) },
        Route(.post, "/v1/check", .scope(.read), takesBody: true) { try await $0.check($1) },
        Route(.get, "/v1/events", .scope(.read), parameters: page) { try await $0.changes($1) },
        Route(.get, "/v1/quarantine", .scope(.admin), parameters: page) { try await $0.quarantined($1) },
        Route(.post, "/v1/quarantine/replay", .scope(.admin)) { api, _ in try await api.replayQuarantine() },
        Route(.post, "/v1/reconcile/backfill", .scope(.admin), takesBody: true) { try await $0.startBackfill($1) },
        Route(.post, "/v1/reconcile/run", .scope(.admin)) { api, _ in try api.startReconciliation() },
        Route(.get, "/v1/reconcile/jobs/{job}", .scope(.read)) { try $0.job($1) },
        Route(.get, "/v1/reconcile/report", .scope(.read)) { api, _ in try api.reconciliationReport() },
        Route(.get, "/v1/jobs", .scope(.read)) { api, _ in try await api.jobs() },
        Route(.post, "/v1/jobs", .scope(.admin), takesBody: true) { try await $0.startJob($1) },
        Route(.get, "/v1/jobs/{job}", .scope(.read)) { try await $0.storedJob($1) },
        Route(.delete, "/v1/jobs/{job}", .scope(.admin)) { try await $0.cancelJob($1) },
        Route(.get, "/v1/cluster", .scope(.read)) { api, _ in try await api.cluster() },
        Route(.post, "/v1/cluster/finalize", .scope(.admin)) { api, _ in try await api.finalize() },
        Route(.get, "/v1/shards", .scope(.read)) { api, _ in try await api.shards() },
        Route(.post, "/v1/shards/{shard}/move", .scope(.admin), takesBody: true) { try await $0.moveShard($1) },
        Route(.get, "/v1/webhooks", .scope(.admin)) { api, _ in try await api.webhooks() },
        Route(.post, "/v1/webhooks", .scope(.admin), takesBody: true) { try await $0.makeWebhook($1) },
        Route(.get, "/v1/webhooks/{webhook}", .scope(.admin)) { try await $0.webhook($1) },
        Route(.put, "/v1/webhooks/{webhook}", .scope(.admin), takesBody: true) { try await $0.changeWebhook($1) },
        Route(.delete, "/v1/webhooks/{webhook}", .scope(.admin)) { try await $0.removeWebhook($1) },
        Route(.post, "/v1/webhooks/{webhook}/rotate", .scope(.admin), takesBody: true) {
            try await $0.rotateWebhookKey($1)
        },
        Route(.post, "/v1/webhooks/{webhook}/test", .scope(.admin)) { try await $0.testWebhook($1) },
        Route(.post, "/v1/webhooks/{webhook}/replay", .scope(.admin), takesBody: true) {
            try await $0.replayWebhook($1)
        },
        Route(.get, "/v1/webhooks/{webhook}/dead-letters", .scope(.admin), parameters: page) {
            try await $0.deadLetters($1)
        },
        Route(.get, "/livez", .open, isPublicListener: true, isUnlimited: true) { api, _ in api.live() },
        Route(.get, "/readyz", .open, isUnlimited: true, parameters: ["for"]) { try $0.ready($1) },
        Route(.get, "/metrics", .scope(.read), isUnlimited: true) { $0.metrics($1) },
    ]
}
