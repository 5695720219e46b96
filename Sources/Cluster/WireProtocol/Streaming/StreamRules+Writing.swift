import Customers
import Subscriptions

extension MessageWriter {
    /// In an order of its own: the same rules give the same bytes.
    mutating func write(_ numbered: NumberedRules) {
        let rules = numbered.rules
        self.write(Int64(numbered.fingerprint), 1)
        self.write(rules.key, 2)
        for entry in rules.catalog {
            self.message(3) { message in
                message.write(entry.entitlement, 1)
                for product in entry.products { message.write(present: product, 2) }
                message.write(Int64(entry.rank), 3)
            }
        }
        for (product, duration) in rules.nonRenewing.sorted(by: { $0.key < $1.key }) {
            self.message(4) { message in
                message.write(product, 1)
                message.write(duration.rawValue, 2)
            }
        }
        for (bundleID, app) in rules.apps.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            self.message(5) { message in
                message.write(bundleID.rawValue, 1)
                message.write(app.tokens == .registered, 2)
                message.write(app.sandboxOfAnybody, 3)
                for customer in app.sandboxCustomers.sorted() { message.write(customer.bytes, 4) }
                for token in app.sandboxTokens.sorted() { message.write(token.bytes, 5) }
            }
        }
        self.write(rules.tokens == .registered, 6)
    }
}
