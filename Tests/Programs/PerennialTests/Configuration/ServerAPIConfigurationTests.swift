import AppStore
import Perennial
import Subscriptions
import Testing

/// What asking Apple needs, from a configuration.
@Suite struct ServerAPIConfigurationTests {
    private let folder: ConfigurationFolder

    init() throws { self.folder = try ConfigurationFolder() }

    private static func app(environments: String = "[Production, Sandbox]", _ settings: String = "") -> String {
        """
        apps:
          - bundleId: com.example.app
            appAppleId: 1234567890
            environments: \(environments)
            rootCertificates: [root.cer]
            serverAPI: { keyId: K1, issuerId: I1, privateKeyFile: AuthKey.p8\(settings) }
        """
    }

    @Test func everyEnvironmentIsAskedAtApple() throws {
        let access = try self.folder.check(Self.app()).serverAPI

        #expect(access.map(\.account.environment) == [.production, .sandbox])
        #expect(access.allSatisfy { $0.account.bundleID.rawValue == "com.example.app" })
        #expect(access.allSatisfy { $0.account.appAppleID == 1_234_567_890 })
        #expect(
            access.map(\.baseURL) == ["https://api.storekit.apple.com", "https://api.storekit-sandbox.apple.com"])
        #expect(access.map(\.share) == [0.5, 0.5])
    }

    @Test func oneEnvironmentMayBeASimulation() throws {
        let access = try self.folder.check(
            Self.app(", baseURL: { Sandbox: \"http://127.0.0.1:8090/\" }, share: 1")
        ).serverAPI

        #expect(access.map(\.baseURL) == ["https://api.storekit.apple.com", "http://127.0.0.1:8090"])
        #expect(access.map(\.share) == [1, 1])
    }

    @Test(arguments: [("0.01", 0.01), ("1", 1), ("0.250", 0.25)])
    func theShareIsADecimalNumber(_ text: String, _ share: Double) throws {
        let access = try self.folder.check(Self.app(environments: "[Sandbox]", ", share: \(text)")).serverAPI

        #expect(access.map(\.share) == [share])
    }

    @Test func anAppWithoutTheSectionIsNotAskedAbout() throws {
        #expect(try self.folder.check(smallest).serverAPI.isEmpty)
    }

    @Test func ofAnAppOfXcodeAppleKnowsNothing() throws {
        let xcode = Self.app(environments: "[Xcode]")

        let error = #expect(throws: Perennial.ConfigurationError.self) { try self.folder.check(xcode, for: .demo) }
        #expect(error?.key == "apps[0].serverAPI")
        #expect(error?.message == "com.example.app is of Xcode alone, about which Apple cannot be asked")
    }
}
