import HTTPTypes

/// Where an endpoint is, and who answers it.
struct StoreRoute: Sendable {
    let endpoint: StoreEndpoint
    let method: HTTPRequest.Method
    /// Below `inApps/`.
    let path: String
    let handler: StoreAPI.Handler

    private init(
        _ endpoint: StoreEndpoint, _ method: HTTPRequest.Method, _ path: String, _ handler: @escaping StoreAPI.Handler
    ) {
        self.endpoint = endpoint
        self.method = method
        self.path = path
        self.handler = handler
    }

    var parameters: [String] {
        self.path.split(separator: "/").filter { $0.hasPrefix(":") }.map { String($0.dropFirst()) }
    }

    static let all = [
        StoreRoute(.statuses, .get, "v1/subscriptions/:id") { try $0.statuses($1) },
        StoreRoute(.transactionInfo, .get, "v1/transactions/:id") { try $0.transactionInfo($1) },
        StoreRoute(.transactionHistory, .get, "v2/history/:id") { try $0.transactionHistory($1) },
        // Before its second version, which Apple's clients can still be asked for.
        StoreRoute(.transactionHistory, .get, "v1/history/:id") {
            try $0.transactionHistory($1) { $0.product.type != "Consumable" || $0.revocation != nil }
        },
        StoreRoute(.appTransaction, .get, "v1/transactions/appTransactions/:id") { try $0.appTransaction($1) },
        StoreRoute(.finishTransaction, .post, "v1/transactions/:id/finish") { try $0.finish($1) },
        StoreRoute(.setAppAccountToken, .put, "v1/transactions/:id/appAccountToken") {
            try await $0.setAppAccountToken($1)
        },
        StoreRoute(.orderLookUp, .get, "v1/lookup/:id") { try $0.lookUpOrder($1) },
        StoreRoute(.refundHistory, .get, "v2/refund/lookup/:id") { try $0.refundHistory($1) },
        StoreRoute(.consumption, .put, "v2/transactions/consumption/:id") { try $0.takeConsumption($1) },
        StoreRoute(.consumption, .put, "v1/transactions/consumption/:id") { try $0.takeConsumptionV1($1) },
        StoreRoute(.extendRenewalDate, .put, "v1/subscriptions/extend/:id") { try await $0.extend($1) },
        StoreRoute(.massExtension, .post, "v1/subscriptions/extend/mass") { try await $0.extendEverybody($1) },
        StoreRoute(.massExtensionStatus, .get, "v1/subscriptions/extend/mass/:product/:request") {
            try $0.massExtensionStatus($1)
        },
        StoreRoute(.notificationHistory, .post, "v1/notifications/history") { try $0.notificationHistory($1) },
        StoreRoute(.requestTest, .post, "v1/notifications/test") { try await $0.requestTest($1) },
        StoreRoute(.testStatus, .get, "v1/notifications/test/:token") { try $0.testStatus($1) },
    ]
}
