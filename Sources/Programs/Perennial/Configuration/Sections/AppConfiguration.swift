package struct AppConfiguration: ConfigurationSection {
    /// `apps[].bundleId`: the app, as App Store Connect names it. No default.
    package var bundleId = ""
    /// `apps[].appAppleId`: the app's number in the App Store; needed for Production.
    package var appAppleId: Int?
    /// `apps[].environments`: any of `Production` and `Sandbox`; `Xcode` in a demo only. No default.
    package var environments: [String] = []
    /// `apps[].rootCertificates`: files of the root certificates that payloads may be signed under, DER or PEM. No
    /// default.
    package var rootCertificates: [String] = []
    /// `apps[].serverAPI`: how Apple is asked about the app's purchases; it is not asked unless set.
    package var serverAPI: ServerAPISection?
    /// `apps[].customers`: in place of `customers`, for this app alone.
    package var customers: CustomersSection?
    /// `apps[].sandboxCounts`: whose purchases in Sandbox count for checks by customer in Production; nobody's unless set.
    package var sandboxCounts: SandboxSection?

    package init() {}
}
