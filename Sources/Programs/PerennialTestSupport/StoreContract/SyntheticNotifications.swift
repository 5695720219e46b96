/// Notifications with the shape and size of real ones, from a seed, unsigned: what stores are filled and measured with.
/// Three compact JWS, two of them nested, each with the same header of three certificates.
package struct SyntheticNotifications {
    private var random: SeededGenerator
    private let header: String

    package init(seed: UInt64 = 1) {
        var random = SeededGenerator(seed: seed)
        let certificates = [1456, 1056, 780].map { length in "\"\(random.text(length, of: SeededGenerator.base64))\"" }
        self.header = Self.base64URL(Array("{\"alg\":\"ES256\",\"x5c\":[\(certificates.joined(separator: ","))]}".utf8))
        self.random = random
    }

    /// The `period`-th renewal of a customer's subscription, as a signedPayload.
    package mutating func renewal(customer: Int, period: Int) -> [UInt8] {
        var identity = SeededGenerator(seed: UInt64(customer) &+ 0x5EED)
        let original = "20000\(identity.text(11, of: SeededGenerator.digits))"
        let account = identity.uuid()
        let appTransaction = "70\(identity.text(16, of: SeededGenerator.digits))"
        let bought = 1_700_000_000_000 + Int.random(in: 0..<2_592_000_000, using: &identity)
        let start = bought + period * 2_592_000_000
        let signed = start + Int.random(in: 1000..<90_000, using: &self.random)
        let transaction = self.sign(
            """
            {"transactionId":"20000\(self.random.text(11, of: SeededGenerator.digits))",\
            "originalTransactionId":"\(original)",\
            "webOrderLineItemId":"20000\(self.random.text(11, of: SeededGenerator.digits))",\
            "bundleId":"com.acme.reader","productId":"com.acme.reader.pro.monthly",\
            "subscriptionGroupIdentifier":"21483922","purchaseDate":\(start),"originalPurchaseDate":\(bought),\
            "expiresDate":\(start + 2_592_000_000),"quantity":1,"type":"Auto-Renewable Subscription",\
            "appAccountToken":"\(account)","inAppOwnershipType":"PURCHASED","signedDate":\(signed),\
            "environment":"Production","transactionReason":"RENEWAL","storefront":"USA","storefrontId":"143441",\
            "price":9990,"currency":"USD","appTransactionId":"\(appTransaction)"}
            """)
        let renewal = self.sign(
            """
            {"originalTransactionId":"\(original)","autoRenewProductId":"com.acme.reader.pro.monthly",\
            "productId":"com.acme.reader.pro.monthly","autoRenewStatus":1,"renewalPrice":9990,"currency":"USD",\
            "signedDate":\(signed),"environment":"Production","recentSubscriptionStartDate":\(bought),\
            "renewalDate":\(start + 2_592_000_000),"appTransactionId":"\(appTransaction)",\
            "appAccountToken":"\(account)"}
            """)
        return Array(
            self.sign(
                """
                {"notificationType":"DID_RENEW","notificationUUID":"\(self.random.uuid())","data":{\
                "appAppleId":1234567890,"bundleId":"com.acme.reader","bundleVersion":"417",\
                "environment":"Production","signedTransactionInfo":"\(transaction)",\
                "signedRenewalInfo":"\(renewal)","status":1},"version":"2.0","signedDate":\(signed + 7)}
                """
            ).utf8)
    }

    private mutating func sign(_ payload: String) -> String {
        "\(self.header).\(Self.base64URL(Array(payload.utf8))).\(Self.base64URL(self.random.bytes(64)))"
    }

    package static func base64URL(_ bytes: [UInt8]) -> String {
        let alphabet = SeededGenerator.base64.dropLast(2) + Array("-_".utf8)
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            for place in 0...group.count { text.append(alphabet[bits >> (18 - 6 * place) & 63]) }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
