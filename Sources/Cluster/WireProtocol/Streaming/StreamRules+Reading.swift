import Customers
import Subscriptions

extension NumberedRules {
    init(_ message: MessageReader) throws(WireError) {
        var reader = message
        self.init(0, StreamRules(key: [], catalog: []))
        while let field = try reader.nextField() {
            switch field {
            case 1: self.fingerprint = UInt32(truncatingIfNeeded: try reader.number())
            case 2: self.rules.key = try reader.data()
            case 3: self.rules.catalog.append(try StreamRules.CatalogEntry(reader.message()))
            case 4:
                let (product, duration) = try Self.nonRenewing(reader.message())
                self.rules.nonRenewing[product] = duration
            case 5:
                let (bundleID, app) = try Self.app(reader.message())
                self.rules.apps[bundleID] = app
            case 6: self.rules.tokens = try reader.flag() ? .registered : .id
            default: try reader.skip()
            }
        }
    }

    private static func nonRenewing(_ message: MessageReader) throws(WireError) -> (String, Milliseconds) {
        var reader = message
        var (product, duration) = ("", Milliseconds(rawValue: 0))
        while let field = try reader.nextField() {
            switch field {
            case 1: product = try reader.text()
            case 2: duration = Milliseconds(rawValue: try reader.integer())
            default: try reader.skip()
            }
        }
        return (product, duration)
    }

    private static func app(_ message: MessageReader) throws(WireError) -> (BundleID, StreamRules.App) {
        var reader = message
        var (bundleID, app) = ("", StreamRules.App())
        while let field = try reader.nextField() {
            switch field {
            case 1: bundleID = try reader.text()
            case 2: app.tokens = try reader.flag() ? .registered : .id
            case 3: app.sandboxOfAnybody = try reader.flag()
            case 4: if let customer = try reader.hash() { app.sandboxCustomers.insert(customer) }
            case 5: if let token = try reader.hash() { app.sandboxTokens.insert(token) }
            default: try reader.skip()
            }
        }
        return (BundleID(rawValue: bundleID), app)
    }
}

extension StreamRules.CatalogEntry {
    fileprivate init(_ message: MessageReader) throws(WireError) {
        var reader = message
        self.init(entitlement: "", products: [], rank: 0)
        while let field = try reader.nextField() {
            switch field {
            case 1: self.entitlement = try reader.text()
            case 2: self.products.append(try reader.text())
            case 3: self.rank = Int(try reader.integer())
            default: try reader.skip()
            }
        }
    }
}
