import AppStore
import Subscriptions
import Testing

@Suite struct ServerAPIDirectoryTests {
    private static let bundleID = ServerAPIFixture.account.bundleID

    private static func ask(
        production: ServerAPIAnswer?, sandbox: ServerAPIAnswer?
    ) async throws -> (environment: AppStoreEnvironment?, error: ServerAPIError?, asked: [Int]) {
        let transports = [production, sandbox].map { $0.map { ScriptedTransport([$0]) } }
        var clients: [ServerAPIClient] = []
        for (transport, environment) in zip(transports, [AppStoreEnvironment.production, .sandbox]) {
            guard let transport else { continue }
            let account = ServerAPIAccount(bundleID: Self.bundleID, environment: environment)
            clients.append(try ServerAPIFixture(transport, account: account).client)
        }
        let directory = try ServerAPIDirectory(clients)
        var environment: AppStoreEnvironment?
        let error = await ServerAPIFixture.failure { () throws(ServerAPIError) in
            environment = try await directory.inEitherEnvironment(of: Self.bundleID) { client throws(ServerAPIError) in
                try await client.transactionInfo("1")
            }?.1
        }
        return (environment, error, transports.map { $0?.requests.count ?? 0 })
    }

    private static let found = ServerAPIAnswer.json(#"{"signedTransactionInfo":"a.b.c"}"#)

    @Test func asksSandboxOnlyWhenProductionDoesNotKnowTheID() async throws {
        let production = try await Self.ask(production: Self.found, sandbox: Self.found)
        #expect(production.environment == .production)
        #expect(production.asked == [1, 0])

        let sandbox = try await Self.ask(production: .error(4_040_010), sandbox: Self.found)
        #expect(sandbox.environment == .sandbox)
        #expect(sandbox.asked == [1, 1])

        let nowhere = try await Self.ask(production: .error(4_040_010), sandbox: .error(4_040_010))
        #expect(nowhere.environment == nil)
        #expect(nowhere.error?.appleCode == 4_040_010)
    }

    @Test(arguments: [
        ServerAPIAnswer.error(4_040_001), .error(4_040_005), .error(4_000_006), .error(4_040_010, status: 400),
        .json("", status: 404), .json("", status: 401), .error(5_000_000), .error(4_290_000),
    ])
    func otherFailuresSayNothingOfSandbox(_ answer: ServerAPIAnswer) async throws {
        let asked = try await Self.ask(production: answer, sandbox: Self.found)
        #expect(asked.environment == nil)
        #expect(asked.error != nil)
        #expect(asked.asked[1] == 0)
    }

    @Test func asksTheOnlyOneThereIs() async throws {
        #expect(try await Self.ask(production: nil, sandbox: Self.found).environment == .sandbox)
        let production = try await Self.ask(production: .error(4_040_010), sandbox: nil)
        #expect(production.error?.appleCode == 4_040_010)
        let none = try await Self.ask(production: nil, sandbox: nil)
        #expect(none.environment == nil)
        #expect(none.error == nil)
    }

    @Test func refusesTwoClientsOfOneAccount() throws {
        let clients = try (0..<2).map { _ in try ServerAPIFixture(ScriptedTransport(json: "{}")).client }
        #expect(throws: AppStoreConfigurationError.self) { try ServerAPIDirectory(clients) }
        let directory = try ServerAPIDirectory([clients[0]])
        #expect(directory[Self.bundleID, .production] === clients[0])
        #expect(directory[Self.bundleID, .sandbox] == nil)
    }
}
