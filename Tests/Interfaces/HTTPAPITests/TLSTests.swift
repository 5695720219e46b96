import AppStoreSimulator
import Foundation
import HTTPAPI
import NIOSSL
import SwiftASN1
import Testing
import X509

@Suite struct TLSTests {
    private let directory: URL

    init() throws {
        self.directory = FileManager.default.temporaryDirectory.appending(path: "perennial-tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: self.directory, withIntermediateDirectories: true)
    }

    /// A file of that name, which only its owner may read.
    private func file(_ name: String, _ text: String, permissions: Int = 0o600) throws -> String {
        let path = self.directory.appending(path: name).path
        try Data(text.utf8).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: path)
        return path
    }

    private func identity(seed: UInt64 = 7) throws -> (certificate: String, key: String) {
        let authority = try CertificateAuthority.make(seed: seed)
        return (
            try authority.leaf.certificate.serializeAsPEM().pemString,
            try authority.leaf.privateKey.serializeAsPEM().pemString
        )
    }

    private func listener(_ certificate: String, _ key: String) -> Configuration {
        Configuration.patient(main: .init(port: 0, tls: TLSFiles(certificate: certificate, key: key)))
    }

    /// Trusts whatever it meets, and speaks that version only.
    private static func client(_ version: TLSVersion) -> TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.certificateVerification = .none
        configuration.minimumTLSVersion = version
        configuration.maximumTLSVersion = version
        return configuration
    }

    @Test(.timeLimit(.minutes(5)), arguments: [TLSVersion.tlsv12, .tlsv13])
    func `a reader that goes away frees its place`(_ version: TLSVersion) async throws {
        defer { try? FileManager.default.removeItem(at: self.directory) }
        let (certificate, key) = try self.identity()
        var configuration = self.listener(try self.file("tls.pem", certificate), try self.file("key.pem", key))
        configuration.limits.streams = 1
        configuration.limits.heartbeat = .seconds(3_600)

        try await Node.run(configuration: configuration) { node in
            @Sendable func status() async throws -> Int {
                try await HTTPConnection.with(port: node.port, tls: Self.client(version)) {
                    try await $0.send("GET", "/v1/events", headers: ["Accept": "text/event-stream"]).status
                }
            }
            #expect(try await status() == 200)
            var last = 503
            while last == 503 { last = try await status() }
            #expect(last == 200)
        }
    }

    @Test(arguments: [TLSVersion.tlsv12, .tlsv13])
    func speaksTLS(_ version: TLSVersion) async throws {
        defer { try? FileManager.default.removeItem(at: self.directory) }
        let (certificate, key) = try self.identity()
        let configuration = self.listener(try self.file("tls.pem", certificate), try self.file("key.pem", key))

        try await Node.run(configuration: configuration) { node in
            let answers = try await HTTPConnection.with(port: node.port, tls: Self.client(version)) { connection in
                let first = try await connection.send("GET", "/livez")
                let second = try await connection.send("POST", "/v1/check", body: #"{"checks":[]}"#)
                let refused = try await connection.send(
                    "POST", "/v1/check", headers: ["Content-Length": "2000000"], body: "{")
                try await connection.waitForEnd()
                return [first, second, refused]
            }

            #expect(answers.map(\.status) == [200, 200, 413])
        }
    }

    @Test(arguments: [TLSVersion.tlsv1, .tlsv11])
    func refusesOldVersions(_ version: TLSVersion) async throws {
        defer { try? FileManager.default.removeItem(at: self.directory) }
        let (certificate, key) = try self.identity()
        let configuration = self.listener(try self.file("tls.pem", certificate), try self.file("key.pem", key))

        try await Node.run(configuration: configuration) { node in
            _ = await #expect(throws: (any Error).self) {
                _ = try await HTTPConnection.with(port: node.port, tls: Self.client(version)) {
                    try await $0.send("GET", "/livez")
                }
            }
        }
    }

    @Test func saysWhatIsWrongWithItsFiles() async throws {
        defer { try? FileManager.default.removeItem(at: self.directory) }
        let (certificate, key) = try self.identity()
        let good = (try self.file("tls.pem", certificate), try self.file("key.pem", key))
        let nonsense = try self.file("nonsense.pem", "not PEM")
        let open = try self.file("open.pem", key, permissions: 0o644)
        let other = try self.file("other.pem", try self.identity(seed: 8).key)
        let missing = self.directory.appending(path: "missing.pem").path

        for (certificate, key, expected) in [
            (missing, good.1, "http.tls.certificate: there is no file \(missing)"),
            (good.0, missing, "http.tls.key: there is no file \(missing)"),
            (nonsense, good.1, "http.tls.certificate: \(nonsense) holds no PEM certificate"),
            (good.0, nonsense, "http.tls.key: \(nonsense) holds no PEM private key"),
            (good.0, open, "http.tls.key: others can read \(open); chmod it to 640 or 600"),
            (good.0, other, "http.tls: the key \(other) does not belong to \(good.0)"),
        ] {
            let error = await #expect(throws: ConfigurationError.self) {
                try await Node.run(configuration: self.listener(certificate, key)) { _ in }
            }
            #expect(error?.description == expected)
            let checked = #expect(throws: ConfigurationError.self) {
                try self.listener(certificate, key).checkTLSFiles()
            }
            #expect(checked?.description == expected)
        }
    }
}
