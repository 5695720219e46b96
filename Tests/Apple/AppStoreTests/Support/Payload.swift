/// A payload as Apple shapes it, to be changed member by member. Values are JSON.
struct Payload {
    private var members: [(key: String, value: String)]

    init(_ members: KeyValuePairs<String, String>) { self.members = members.map { (key: $0.key, value: $0.value) } }

    /// With a member set to another value (JSON), added, or taken away.
    func with(_ key: String, _ value: String?) -> Payload {
        var payload = self
        let index = payload.members.firstIndex { $0.key == key }
        switch (index, value) {
        case (let index?, let value?): payload.members[index].value = value
        case (let index?, nil): payload.members.remove(at: index)
        case (nil, let value?): payload.members.append((key, value))
        case (nil, nil): break
        }
        return payload
    }

    var json: String { "{" + self.members.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}" }
    var bytes: [UInt8] { Array(self.json.utf8) }

    static let transaction = Payload([
        "transactionId": "\"2000000000000002\"", "originalTransactionId": "\"2000000000000001\"",
        "webOrderLineItemId": "\"2000000000000900\"", "bundleId": "\"com.example.app\"",
        "productId": "\"pro.monthly\"", "subscriptionGroupIdentifier": "\"21000001\"",
        "purchaseDate": "1699999000000", "originalPurchaseDate": "1690000000000", "expiresDate": "1702600000000",
        "quantity": "1", "type": "\"Auto-Renewable Subscription\"",
        "appAccountToken": "\"7e3fb204-2ba0-4e28-9b2f-8b4e0c1f3a11\"", "inAppOwnershipType": "\"PURCHASED\"",
        "signedDate": "1700000000000", "environment": "\"Production\"", "transactionReason": "\"RENEWAL\"",
        "storefront": "\"USA\"", "storefrontId": "\"143441\"", "price": "9990", "currency": "\"USD\"",
        "appTransactionId": "\"704000000000000001\"",
    ])

    static let renewal = Payload([
        "originalTransactionId": "\"2000000000000001\"", "autoRenewProductId": "\"pro.monthly\"",
        "productId": "\"pro.monthly\"", "autoRenewStatus": "1", "signedDate": "1700000000000",
        "environment": "\"Production\"", "recentSubscriptionStartDate": "1690000000000",
        "renewalDate": "1702600000000", "renewalPrice": "9990", "currency": "\"USD\"",
    ])

    static let appTransaction = Payload([
        "receiptType": "\"Production\"", "appAppleId": "1234567890", "bundleId": "\"com.example.app\"",
        "appTransactionId": "\"704000000000000001\"", "originalApplicationVersion": "\"1.0\"",
        "originalPurchaseDate": "1690000000000", "originalPlatform": "\"iOS\"",
        "receiptCreationDate": "1700000000000",
    ])

    static let data = Payload([
        "appAppleId": "1234567890", "bundleId": "\"com.example.app\"", "bundleVersion": "\"42\"",
        "environment": "\"Production\"",
    ])

    static let summary = Payload([
        "environment": "\"Production\"", "appAppleId": "1234567890", "bundleId": "\"com.example.app\"",
        "productId": "\"pro.monthly\"", "requestIdentifier": "\"efb27071-45a4-4aca-9854-2a1e9146f265\"",
        "storefrontCountryCodes": "[\"CAN\",\"USA\"]", "succeededCount": "5", "failedCount": "2",
    ])

    static let externalPurchaseToken = Payload([
        "externalPurchaseId": "\"b2158121-7af9-49d4-9561-1f588205523e\"", "tokenCreationDate": "1698148950000",
        "appAppleId": "1234567890", "bundleId": "\"com.example.app\"",
    ])

    static func notification(
        _ type: String, subtype: String? = nil, part: String = "data", _ content: Payload
    ) -> Payload {
        Payload([
            "notificationType": "\"\(type)\"", "notificationUUID": "\"002e14d5-51f5-4503-b5a8-c3a1af68eb20\"",
            "version": "\"2.0\"", "signedDate": "1700000001000",
        ]).with("subtype", subtype.map { "\"\($0)\"" }).with(part, content.json)
    }
}
