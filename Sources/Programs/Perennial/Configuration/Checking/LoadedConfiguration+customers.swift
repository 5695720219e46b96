import Customers
import Shards
import Subscriptions

extension LoadedConfiguration {
    func customers() throws(ConfigurationError) -> CustomerPolicies {
        var policies = CustomerPolicies()
        let section = self.values.customers
        policies.transfer = try self.policy(section.transfer, at: ["customers", "transfer"]) ?? .keep
        policies.tokens = try self.policy(section.tokens, at: ["customers", "tokens"]) ?? .id
        for (index, app) in self.values.apps.enumerated() {
            let (path, bundle): (ConfigurationPath, BundleID) = (
                ["apps", .index(index), "customers"], BundleID(rawValue: app.bundleId)
            )
            policies.transferByApp[bundle] = try self.policy(app.customers?.transfer, at: path + "transfer")
            policies.tokensByApp[bundle] = try self.policy(app.customers?.tokens, at: path + "tokens")
        }
        policies.sandboxByApp = try self.sandbox()
        return policies
    }

    private func policy<Policy: RawRepresentable<String> & CaseIterable>(
        _ text: String?, at path: ConfigurationPath
    ) throws(ConfigurationError) -> Policy? {
        guard let text else { return nil }
        guard let policy = Policy(rawValue: text) else {
            let known = Policy.allCases.map(\.rawValue).joined(separator: ", ")
            throw self.mistake(path, "unknown policy \(text); it is one of \(known)")
        }
        return policy
    }
}
