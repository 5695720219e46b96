/// `apps[].sandboxCounts`.
package struct SandboxSection: ConfigurationSection {
    /// `apps[].sandboxCounts.policy`: `nobody`, `listed` (what `customers` and `tokens` name) or `anybody`. No default.
    package var policy: String?
    /// `apps[].sandboxCounts.customers`: ids of customers, such as the account of App Review.
    package var customers: [String] = []
    /// `apps[].sandboxCounts.tokens`: appAccountTokens.
    package var tokens: [String] = []

    package init() {}
}
