import Customers
import Perennial
import Shards
import Subscriptions
import Testing

/// Whose purchases in Sandbox count, from a configuration.
@Suite struct SandboxConfigurationTests {
    private let folder: ConfigurationFolder
    private static let uuid = "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11"

    init() throws { self.folder = try ConfigurationFolder() }

    private func policy(_ section: String) throws -> SandboxPolicy {
        try self.folder.check(
            """
            apps:
              - bundleId: com.example.app
                environments: [Sandbox]
                rootCertificates: [root.cer]\(section.isEmpty ? "" : "\n    sandboxCounts: \(section)")
            """
        ).runtime.customers.sandbox(of: BundleID(rawValue: "com.example.app"))
    }

    @Test func `nobody's do unless the configuration says so`() throws {
        #expect(try self.policy("") == .nobody)
        #expect(try self.policy("{ policy: nobody }") == .nobody)
        #expect(try self.policy("{ policy: anybody }") == .anybody)
        #expect(
            try self.policy("{ policy: listed, customers: [app-review], tokens: [\(Self.uuid)] }")
                == .listed(
                    customers: [try #require(CustomerID("app-review"))],
                    tokens: [try #require(AccountToken(Self.uuid.lowercased()))]))
    }

    @Test(arguments: [
        ("{}", "policy: is missing"), ("{ policy: all }", "policy: unknown policy all"),
        ("{ policy: listed }", "policy: is listed, and names neither"),
        ("{ policy: anybody, customers: [a] }", "policy: customers and tokens count only"),
        ("{ policy: listed, customers: [a, \"\"] }", "customers[1]: is no customer's id"),
        ("{ policy: listed, tokens: [a] }", "tokens[0]: is no UUID"),
    ])
    func `a mistake is named`(_ section: String, _ message: String) {
        let error = #expect(throws: ConfigurationError.self) { try self.policy(section) }
        #expect(error.map { "\($0)".contains("apps[0].sandboxCounts.\(message)") } == true, "\(error as Any)")
    }
}
