import AppStore
import AppStoreSimulator
import Foundation
import Subscriptions
import Testing

@Suite struct ConfigurationTests {
    let store: TestStore

    init() throws { self.store = try TestStore.shared.get() }

    private func app(
        _ environments: Set<AppStoreEnvironment>, appAppleID: Int64? = 1, roots: Set<TrustedRoot>? = nil,
        bundleID: String = "a"
    ) throws -> AppIdentity {
        try AppIdentity(
            bundleID: BundleID(rawValue: bundleID), appAppleID: appAppleID, environments: environments,
            roots: roots ?? [self.store.root])
    }

    @Test func productionNeedsItsNumber() throws {
        #expect(throws: AppStoreConfigurationError.self) { try self.app([.production], appAppleID: nil) }
        _ = try self.app([.sandbox], appAppleID: nil)
    }

    @Test func signaturesNeedARoot() throws {
        #expect(throws: AppStoreConfigurationError.self) { try self.app([.production], roots: []) }
        _ = try self.app([.xcode], roots: [])
    }

    @Test(arguments: [
        [], [.production, .xcode], [.sandbox, .localTesting], [AppStoreEnvironment(rawValue: "Staging")],
    ])
    func environmentsThatCannotBe(_ environments: Set<AppStoreEnvironment>) {
        #expect(throws: AppStoreConfigurationError.self) { try self.app(environments) }
    }

    @Test func directoriesAreConsistent() throws {
        #expect(throws: AppStoreConfigurationError.self) {
            try AppDirectory([self.app([.sandbox]), self.app([.production])])
        }
        #expect(throws: AppStoreConfigurationError.self) {
            try AppDirectory([self.app([.sandbox]), self.app([.xcode], bundleID: "b")])
        }
        #expect(throws: AppStoreConfigurationError.self) {
            try AppDirectory([self.app([.localTesting], roots: []), self.app([.production], bundleID: "b")])
        }
        _ = try AppDirectory([self.app([.sandbox]), self.app([.production], bundleID: "b")])
    }

    @Test func rootsAreDEROrPEM() throws {
        let der = self.store.authority.root.der
        let base64 = Data(der).base64EncodedString(options: .lineLength64Characters)
        let pem = "-----BEGIN CERTIFICATE-----\n\(base64)\n-----END CERTIFICATE-----\n"
        #expect(try TrustedRoot(Array(pem.utf8)) == TrustedRoot(der))
    }

    @Test("an intermediate certificate is no root, and the refusal says what to name instead")
    func refusesIntermediates() {
        #expect {
            try TrustedRoot(self.store.authority.intermediate.der)
        } throws: { error in
            let message = (error as? AppStoreConfigurationError)?.message ?? ""
            return message.contains("an intermediate certificate is no root") && message.contains("AppleRootCA-G3.cer")
        }
    }

    @Test func rootsThatAreNone() {
        let authority = self.store.authority
        for bytes in [
            [], [1, 2, 3], Array("-----BEGIN CERTIFICATE-----".utf8), authority.root.der + [0], authority.leaf.der,
        ] {
            #expect(throws: AppStoreConfigurationError.self) { try TrustedRoot(bytes) }
        }
    }
}
