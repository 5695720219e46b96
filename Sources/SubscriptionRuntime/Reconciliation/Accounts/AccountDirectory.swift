import AppStore
import Subscriptions

/// The apps that Apple can be asked about.
struct AccountDirectory: Sendable {
    let clients: [ServerAPIClient]

    func client(of key: StreamKey) -> ServerAPIClient? {
        self.clients.first { $0.account.bundleID == key.bundleID && $0.account.environment == key.environment }
    }

    /// - Throws: `.notConfigured`; `.ambiguous` when several apps could be meant.
    func client(of app: AppReference) throws(ServiceError) -> ServerAPIClient {
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
    func client(for key: StreamKey) throws(ServiceError) -> ServerAPIClient {
        try self.client(of: AppReference(bundleID: key.bundleID, environment: key.environment))
    }
}
