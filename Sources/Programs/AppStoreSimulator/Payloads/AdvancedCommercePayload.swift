import StrictJSON
import Subscriptions

/// `advancedCommerceInfo` of transactions and renewals. A subscription has one item, whose SKU is the product's id
/// (inferred: a migrated product keeps the name that its publisher knows).
struct AdvancedCommercePayload {
    let commerce: AdvancedCommerce
    /// The one that is described, or the newest one before the renewal that is.
    let transaction: StoreTransaction

    private static let taxCode = "C003-00-2"
    /// Inferred: one rate, and prices include it, as in the storefronts of Europe.
    private static let taxPercent: Int64 = 19
    private static let taxRate = "0.19"

    func write(to json: inout JSONWriter) {
        let taxExclusivePrice = self.transaction.price * 100 / (100 + Self.taxPercent)
        json.member("advancedCommerceInfo") { json in
            json.object { json in
                self.writeRequest(to: &json)
                json.member("taxRate", Self.taxRate)
                json.member("taxExclusivePrice", taxExclusivePrice)
                json.member("estimatedTax", self.transaction.price - taxExclusivePrice)
                self.writeItem(to: &json, offer: self.transaction.offer) { self.writeRevocation(to: &$0) }
            }
        }
    }

    func write(renewal terms: RenewalTerms, to json: inout JSONWriter) {
        json.member("advancedCommerceInfo") { json in
            json.object { json in
                self.writeRequest(to: &json)
                // Opaque to everybody; another one after every renewal and every request.
                json.member("consistencyToken", "\(self.transaction.id)-\(self.commerce.requestReferenceID)")
                self.writeItem(to: &json, offer: terms.nextOffer) { self.writePriceIncrease(of: terms, to: &$0) }
            }
        }
    }

    private func writeRequest(to json: inout JSONWriter) {
        json.member("descriptors") { json in json.object { self.writeDescriptors(to: &$0) } }
        json.member("period", ifPresent: self.transaction.product.plan?.period.iso8601)
        json.member("requestReferenceId", self.commerce.requestReferenceID)
        json.member("taxCode", Self.taxCode)
    }

    private func writeDescriptors(to json: inout JSONWriter) {
        json.member("displayName", self.commerce.displayName)
        json.member("description", self.commerce.description)
    }

    private func writeItem(to json: inout JSONWriter, offer: Offer?, _ more: (inout JSONWriter) -> Void) {
        json.array("items") { json in
            json.member("SKU", self.transaction.product.id)
            self.writeDescriptors(to: &json)
            json.member("price", self.commerce.price)
            if let offer { json.write(advancedCommerce: offer) }
            more(&json)
        }
    }

    private func writeRevocation(to json: inout JSONWriter) {
        guard let revocation = self.transaction.revocation else { return }
        json.member("revocationDate", revocation.date.milliseconds)
        guard let percentage = revocation.percentage else { return }
        json.array("refunds") { json in
            json.member("refundAmount", self.transaction.price * percentage / 100_000)
            json.member("refundDate", revocation.date.milliseconds)
            json.member("refundReason", revocation.reason == 1 ? "FULFILLMENT_ISSUE" : "OTHER")
            json.member("refundType", revocation.kind == .refundProrated ? "PRORATED" : "FULL")
        }
    }

    private func writePriceIncrease(of terms: RenewalTerms, to json: inout JSONWriter) {
        guard let increase = terms.priceIncrease, let price = terms.raisedPrice else { return }
        json.member("priceIncreaseInfo") { json in
            json.object { json in
                json.member("dependentSKUs", [])
                json.member("price", price)
                json.member("status", increase == .pending ? "PENDING" : "ACCEPTED")
            }
        }
    }
}

extension JSONWriter {
    /// An array of one object.
    fileprivate mutating func array(_ key: String, _ body: (inout JSONWriter) -> Void) {
        self.member(key) { json in json.array { json in json.object(body) } }
    }

    fileprivate mutating func write(advancedCommerce offer: Offer) {
        self.member("offer") { json in
            json.object { json in
                json.member("period", offer.period.iso8601)
                json.member("periodCount", Int64(offer.periods))
                json.member("price", offer.price)
                json.member("reason", offer.kind.advancedCommerceReason)
            }
        }
    }
}

extension Offer.Kind {
    /// Inferred: what the kinds of the App Store are for.
    fileprivate var advancedCommerceReason: String {
        switch self {
        case .introductory, .offerCode: "ACQUISITION"
        case .promotional: "RETENTION"
        case .winBack: "WIN_BACK"
        }
    }
}
