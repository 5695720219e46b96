package import Subscriptions

/// The clients of all apps.
package struct ServerAPIDirectory: Sendable {
    private struct Place: Hashable {
        let bundleID: BundleID
        let environment: AppStoreEnvironment
    }

    private let clients: [Place: ServerAPIClient]

    /// - Throws: when an app has two clients in one environment.
    package init(_ clients: [ServerAPIClient]) throws(AppStoreConfigurationError) {
        var directory: [Place: ServerAPIClient] = [:]
        for client in clients {
            let account = client.account
            let place = Place(bundleID: account.bundleID, environment: account.environment)
            guard directory.updateValue(client, forKey: place) == nil else {
                throw AppStoreConfigurationError(
                    "\(account.bundleID.rawValue) has two Server API keys in \(account.environment.rawValue)")
            }
        }
        self.clients = directory
    }

    package subscript(bundleID: BundleID, environment: AppStoreEnvironment) -> ServerAPIClient? {
        self.clients[Place(bundleID: bundleID, environment: environment)]
    }

    /// Asks about an id whose environment nobody knows: Production, and Sandbox only when Production does not know the
    /// transaction (Apple's 4040010). No other failure says that the id belongs to Sandbox.
    /// - Returns: the answer and its environment; nil when the app has no client.
    /// - Throws: what the last environment that was asked said.
    package func inEitherEnvironment<Answer>(
        of bundleID: BundleID, _ ask: (ServerAPIClient) async throws(ServerAPIError) -> Answer
    ) async throws(ServerAPIError) -> (Answer, AppStoreEnvironment)? {
        let sandbox = self[bundleID, .sandbox]
        guard let production = self[bundleID, .production] else {
            guard let sandbox else { return nil }
            return (try await ask(sandbox), .sandbox)
        }
        do throws(ServerAPIError) {
            return (try await ask(production), .production)
        } catch {
            guard let sandbox, error.status == 404, error.appleCode == AppleCode.transactionIDNotFound.rawValue else {
                throw error
            }
            return (try await ask(sandbox), .sandbox)
        }
    }
}
