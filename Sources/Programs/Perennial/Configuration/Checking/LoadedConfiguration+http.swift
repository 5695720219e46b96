import Foundation
import HTTPAPI

#if canImport(Glibc)
import Glibc
#endif

extension LoadedConfiguration {
    func mainListener(hasTokens: Bool) throws(ConfigurationError) -> HTTPAPI.Configuration.Listener {
        let http = self.values.http
        guard hasTokens || http.host.isLoopback else {
            throw self.mistake(
                ["http", "host"], "without http.tokens the API listens on a loopback address only, not on \(http.host)")
        }
        return try self.listener(host: http.host, port: http.port, tls: http.tls, at: ["http"])
    }

    func publicListener() throws(ConfigurationError) -> HTTPAPI.Configuration.Listener? {
        guard let listener = self.values.http.public else { return nil }
        let path: ConfigurationPath = ["http", "public"]
        guard listener.port != self.values.http.port || listener.port == 0 else {
            throw self.mistake(path + "port", "\(listener.port) is the port of the first listener")
        }
        return try self.listener(host: listener.host, port: listener.port, tls: listener.tls, at: path)
    }

    func publicOrigin() throws(ConfigurationError) -> Origin? {
        guard let url = self.values.http.publicURL else { return nil }
        guard let origin = Origin(ofURL: url) else {
            throw self.mistake(
                ["http", "publicURL"], "expected an http or https URL, such as https://perennial.example.com")
        }
        return origin
    }

    func tokens() throws(ConfigurationError) -> [Token] {
        var tokens: [Token] = []
        for (index, token) in self.values.http.tokens.enumerated() {
            let path: ConfigurationPath = ["http", "tokens", .index(index)]
            guard !token.name.isEmpty else { throw self.mistake(path + "name", "is missing") }
            guard !tokens.contains(where: { $0.name == token.name }) else {
                throw self.mistake(path + "name", "\(token.name) names two tokens")
            }
            guard !self.values.http.tokens.prefix(index).contains(where: { $0.sha256 == token.sha256 }) else {
                throw self.mistake(path + "sha256", "is the same as another token's")
            }
            guard !token.scopes.isEmpty else { throw self.mistake(path + "scopes", "names no scope") }
            var scopes: Set<Scope> = []
            for name in token.scopes {
                guard let scope = Scope(rawValue: name) else {
                    throw self.mistake(path + "scopes", "unknown scope \(name); it is read, write or admin")
                }
                scopes.insert(scope)
            }
            guard let token = try? Token(name: token.name, sha256: token.sha256, scopes: scopes) else {
                throw self.mistake(
                    path + "sha256", "expected 64 hexadecimal digits, as `perennial tokens new` prints them")
            }
            tokens.append(token)
        }
        return tokens
    }

    private func listener(
        host: String, port: Int, tls: TLSConfiguration?, at path: ConfigurationPath
    ) throws(ConfigurationError) -> HTTPAPI.Configuration.Listener {
        guard !host.isEmpty else { throw self.mistake(path + "host", "is empty") }
        guard (0...65535).contains(port) else {
            throw self.mistake(path + "port", "\(port) is no port from 0 to 65535")
        }
        guard let tls else { return .init(host: host, port: port, tls: nil) }
        let certificate = try self.file(tls.certificate, at: path + "tls" + "certificate")
        let key = try self.file(tls.key, at: path + "tls" + "key")
        try self.keepSecret(key, at: path + "tls" + "key")
        return .init(host: host, port: port, tls: .init(certificate: certificate, key: key))
    }

    /// The path of a file that can be read.
    func file(_ name: String, at path: ConfigurationPath) throws(ConfigurationError) -> String {
        guard !name.isEmpty else { throw self.mistake(path, "is missing") }
        let file = self.resolve(file: name, at: path)
        _ = try self.contents(of: file, at: path)
        return file
    }

    /// The bytes of a file that the configuration names.
    func contents(of file: String, at path: ConfigurationPath) throws(ConfigurationError) -> [UInt8] {
        do {
            return Array(try Data(contentsOf: URL(filePath: file)))
        } catch {
            throw self.mistake(path, "\(file): \(FileProblem(error).sentence)")
        }
    }

    func keepSecret(_ file: String, at path: ConfigurationPath) throws(ConfigurationError) {
        var status = stat()
        guard stat(file, &status) == 0, status.st_mode & 0o007 == 0 else {
            throw self.mistake(path, "\(file): everybody on this machine can read this key; run chmod 640 or 600")
        }
    }
}

extension String {
    /// Whether an address that is listened on cannot be reached from another machine.
    fileprivate var isLoopback: Bool {
        var address = in_addr()
        if inet_pton(AF_INET, self, &address) == 1 { return UInt32(bigEndian: address.s_addr) >> 24 == 127 }
        return self == "localhost" || self == "::1"
    }
}
