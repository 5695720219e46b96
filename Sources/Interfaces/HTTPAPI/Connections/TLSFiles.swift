import Foundation
import HummingbirdTLS
import NIOSSL

/// Where a listener's certificate and key lie, both PEM.
package struct TLSFiles: Hashable, Sendable {
    /// `tls.certificate`: the certificate, then its intermediates.
    package var certificate: String
    /// `tls.key`: only its owner and group may read it.
    package var key: String

    package init(certificate: String, key: String) {
        self.certificate = certificate
        self.key = key
    }

    /// TLS 1.2 or newer.
    /// - Parameter setting: the key of the configuration that the files were named under, for messages.
    /// - Throws: for files that are missing, unreadable, not PEM, open to others, or that do not belong together.
    func load(setting: String) throws(ConfigurationError) -> TLSConfiguration {
        let chain: [NIOSSLCertificate]
        do {
            chain = try NIOSSLCertificate.fromPEMBytes(try Self.read(self.certificate, "\(setting).certificate"))
        } catch let error as ConfigurationError {
            throw error
        } catch {
            throw ConfigurationError("\(setting).certificate: \(self.certificate) holds no PEM certificate")
        }
        guard !chain.isEmpty else {
            throw ConfigurationError("\(setting).certificate: \(self.certificate) holds no PEM certificate")
        }
        let pem = try Self.read(self.key, "\(setting).key")
        guard let key = try? NIOSSLPrivateKey(bytes: pem, format: .pem) else {
            throw ConfigurationError("\(setting).key: \(self.key) holds no PEM private key")
        }
        if let mode = try? FileManager.default.attributesOfItem(atPath: self.key)[.posixPermissions] as? NSNumber,
            mode.intValue & 0o007 != 0
        {
            throw ConfigurationError("\(setting).key: others can read \(self.key); chmod it to 640 or 600")
        }
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
        configuration.minimumTLSVersion = .tlsv12
        do {
            _ = try NIOSSLContext(configuration: configuration)
        } catch {
            throw ConfigurationError("\(setting): the key \(self.key) does not belong to \(self.certificate)")
        }
        return configuration
    }

    private static func read(_ path: String, _ setting: String) throws(ConfigurationError) -> [UInt8] {
        guard FileManager.default.fileExists(atPath: path) else {
            throw ConfigurationError("\(setting): there is no file \(path)")
        }
        guard let data = FileManager.default.contents(atPath: path) else {
            throw ConfigurationError("\(setting): \(path) cannot be read")
        }
        return Array(data)
    }
}
