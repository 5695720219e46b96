package import AppStore
package import ServiceContract
package import Subscriptions
import Waiting

/// The apps that Apple can be asked about.
package struct AccountDirectory: Sendable {
    package let clients: [ServerAPIClient]
    private let directory: ServerAPIDirectory

    /// - Throws: when an app has two clients in one environment.
    package init(_ clients: [ServerAPIClient]) throws(AppStoreConfigurationError) {
        self.clients = clients
        self.directory = try ServerAPIDirectory(clients)
    }

    package func client(of key: StreamKey) -> ServerAPIClient? { self.directory[key.bundleID, key.environment] }

    /// Where Apple knows a transaction of which nobody has said where it belongs.
    /// - Throws: `.notConfigured`, `.ambiguous`; what Apple says, 4040010 when it knows it nowhere.
    package func environment(of transactionID: String, _ bundleID: BundleID?) async throws -> (
        BundleID, AppStoreEnvironment
    ) {
        let known = Set(self.clients.map(\.account.bundleID)).filter { $0 == bundleID ?? $0 }
        guard known.count <= 1 else { throw ServiceError(.ambiguous, "several apps are configured: name the bundle") }
        let answer: (SignedString, AppStoreEnvironment)?
        if let bundleID = known.first {
            answer = try await self.directory.inEitherEnvironment(of: bundleID) { client throws(ServerAPIError) in
                try await client.transactionInfo(transactionID, urgency: .urgent)
            }
        } else {
            answer = nil
        }
        guard let environment = answer?.1, let bundleID = known.first else {
            throw ServiceError(.notConfigured, "no app with serverAPI is configured for this bundle")
        }
        return (bundleID, environment)
    }

    /// - Throws: `.notConfigured`; `.ambiguous` when several apps could be meant.
    package func client(of app: AppReference) throws(ServiceError) -> ServerAPIClient {
        let known = self.clients.filter { client in
            client.account.environment == app.environment
                && app.bundleID.map { $0 == client.account.bundleID } ?? true
        }
        guard let client = known.first else {
            throw ServiceError(
                .notConfigured, "no app with serverAPI is configured for this bundle and \(app.environment.rawValue)")
        }
        guard known.count == 1 else { throw ServiceError(.ambiguous, "several apps are configured: name the bundle") }
        return client
    }

    /// - Throws: `.notConfigured`.
    package func client(for key: StreamKey) throws(ServiceError) -> ServerAPIClient {
        try self.client(of: AppReference(bundleID: key.bundleID, environment: key.environment))
    }
}
