import Customers
import Shards
import Subscriptions

extension LoadedConfiguration {
    func customers() throws(ConfigurationError) -> CustomerPolicies {
        var policies = CustomerPolicies()
        policies.transfer = try self.transfer(self.values.customers.transfer, at: ["customers", "transfer"]) ?? .keep
        for (index, app) in self.values.apps.enumerated() {
            let path: ConfigurationPath = ["apps", .index(index), "customers", "transfer"]
            policies.transferByApp[BundleID(rawValue: app.bundleId)] = try self.transfer(
                app.customers?.transfer, at: path)
        }
        policies.sandboxByApp = try self.sandbox()
        return policies
    }

    private func transfer(_ text: String?, at path: ConfigurationPath) throws(ConfigurationError) -> TransferPolicy? {
        guard let text else { return nil }
        guard let policy = TransferPolicy(rawValue: text) else {
            let known = TransferPolicy.allCases.map(\.rawValue).joined(separator: ", ")
            throw self.mistake(path, "unknown policy \(text); it is one of \(known)")
        }
        return policy
    }
}
