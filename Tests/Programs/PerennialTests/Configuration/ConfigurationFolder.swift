import AppStoreSimulator
import Foundation
import Perennial

/// A folder with what a configuration may name; gone with the last reference.
final class ConfigurationFolder: Sendable {
    let url: URL

    init() throws {
        self.url = FileManager.default.temporaryDirectory.appending(path: "perennial-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: self.url, withIntermediateDirectories: true)
        let authority = try CertificateAuthority.make()
        try self.write("root.cer", Data(authority.root.der))
        try self.write("leaf.cer", Data(authority.leaf.der))
        try self.write("intermediate.cer", Data(authority.intermediate.der))
        let lines = Data(authority.root.der).base64EncodedString(options: .lineLength64Characters)
        try self.write(
            "root.pem", Data("-----BEGIN CERTIFICATE-----\n\(lines)\n-----END CERTIFICATE-----\n".utf8))
        try self.write("text.cer", Data("no certificate".utf8))
        try self.write("tls.crt", Data("certificate".utf8))
        try self.write("tls.key", Data("key".utf8), mode: 0o600)
        try self.write("open.key", Data("key".utf8), mode: 0o644)
        let store = try KeysDirectory.open(self.path("store"))
        let key = try Data(contentsOf: URL(filePath: store.file("AuthKey.p8")))
        try self.write("AuthKey.p8", key, mode: 0o600)
        try self.write("open.p8", key, mode: 0o644)
        try self.write("p384.p8", Data(Self.keyOnAnotherCurve.utf8), mode: 0o600)
    }

    private static let keyOnAnotherCurve = """
        -----BEGIN PRIVATE KEY-----
        MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDAObO35/d8FXOGW09DC
        LzFb9OCyVL/hw/AWTp+AdCudi3HRsHqsfQQoXcQfAGX6OfWhZANiAAR0rNRUJ22J
        LFHsMezTa9GR3bsKwfxuDr2k602l5fed58iHX2r+rPbBr426QJFI1O5mjM8rqQbD
        ZUOIIYVxCs6YNIZzNaxiB1hGA3qStlztUH4iQ54h8fN2hFELeIb+MN0=
        -----END PRIVATE KEY-----
        """

    deinit { try? FileManager.default.removeItem(at: self.url) }

    func path(_ name: String) -> String { self.url.appending(path: name).path }

    func write(_ name: String, _ data: Data, mode: Int = 0o644) throws {
        try data.write(to: self.url.appending(path: name))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: self.path(name))
    }

    /// Loads and checks a configuration as `serve` does.
    func check(
        _ yaml: String, environment: [String: String] = [:], flags: [ConfigurationFlag] = [],
        for purpose: ConfigurationPurpose = .serve
    ) throws -> CheckedConfiguration {
        try self.write("perennial.yaml", Data(yaml.utf8))
        return try ServerConfiguration.load(
            file: self.path("perennial.yaml"), environment: environment, flags: flags
        ).check(for: purpose)
    }

    /// The one line that refuses a configuration, without the folder's name; nil when it was taken.
    func refusal(_ yaml: String, environment: [String: String] = [:]) throws -> String? {
        do {
            _ = try self.check(yaml, environment: environment)
            return nil
        } catch let error as Perennial.ConfigurationError {
            return error.description.replacing(self.url.path + "/", with: "")
        }
    }
}

/// The least that a node can be started with.
let smallest = """
    apps:
      - bundleId: com.example.app
        environments: [Sandbox]
        rootCertificates: [root.cer]
    """
