import Customers
import Subscriptions

extension LoadedConfiguration {
    /// By app; those that say nothing are left out.
    func sandbox() throws(ConfigurationError) -> [BundleID: SandboxPolicy] {
        var policies: [BundleID: SandboxPolicy] = [:]
        for (index, app) in self.values.apps.enumerated() {
            guard let section = app.sandboxCounts else { continue }
            policies[BundleID(rawValue: app.bundleId)] = try self.policy(
                section, at: ["apps", .index(index), "sandboxCounts"])
        }
        return policies
    }

    private func policy(
        _ section: SandboxSection, at path: ConfigurationPath
    ) throws(ConfigurationError) -> SandboxPolicy {
        let isListing = !section.customers.isEmpty || !section.tokens.isEmpty
        switch section.policy {
        case "nobody", "anybody":
            guard !isListing else {
                throw self.mistake(path + "policy", "customers and tokens count only where the policy is listed")
            }
            return section.policy == "nobody" ? .nobody : .anybody
        case "listed":
            guard isListing else {
                throw self.mistake(path + "policy", "is listed, and names neither customers nor tokens")
            }
        case let text?:
            throw self.mistake(path + "policy", "unknown policy \(text); it is one of nobody, listed, anybody")
        case nil: throw self.mistake(path + "policy", "is missing; it is one of nobody, listed, anybody")
        }
        var (customers, tokens): (Set<CustomerID>, Set<AccountToken>) = ([], [])
        for (index, text) in section.customers.enumerated() {
            guard let id = CustomerID(text) else {
                throw self.mistake(
                    path + "customers" + .index(index), "is no customer's id: 1 to 128 bytes without control characters"
                )
            }
            customers.insert(id)
        }
        for (index, text) in section.tokens.enumerated() {
            guard let token = AccountToken(text) else {
                throw self.mistake(
                    path + "tokens" + .index(index), "is no UUID, as every appAccountToken is")
            }
            tokens.insert(token)
        }
        return .listed(customers: customers, tokens: tokens)
    }
}
