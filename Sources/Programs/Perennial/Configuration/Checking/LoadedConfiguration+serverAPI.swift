import AppStore
import Foundation
import Subscriptions

extension LoadedConfiguration {
    /// One for each environment of each app that has the section. The apps themselves have been checked.
    func serverAPI() throws(ConfigurationError) -> [ServerAPIAccess] {
        var access: [ServerAPIAccess] = []
        for (index, app) in self.values.apps.enumerated() {
            guard let section = app.serverAPI else { continue }
            let path: ConfigurationPath = ["apps", .index(index), "serverAPI"]
            let environments = AppStoreEnvironment.signed.filter { app.environments.contains($0.rawValue) }
            guard !environments.isEmpty else {
                throw self.mistake(path, "\(app.bundleId) is of Xcode alone, about which Apple cannot be asked")
            }
            let credentials = try self.credentials(section, at: path)
            let baseURLs = try self.baseURLs(section.baseURL, among: environments, at: path + "baseURL")
            guard (0.01...1).contains(section.share.value) else {
                throw self.mistake(path + "share", "\(section.share.value) is not from 0.01 to 1")
            }
            for environment in environments {
                guard let baseURL = baseURLs[environment] ?? ServerAPIAccount.appleBaseURL(in: environment) else {
                    preconditionFailure("Apple answers for every environment that it signs for")
                }
                access.append(
                    ServerAPIAccess(
                        account: ServerAPIAccount(
                            bundleID: BundleID(rawValue: app.bundleId), appAppleID: app.appAppleId.map(Int64.init),
                            environment: environment),
                        credentials: credentials, baseURL: baseURL, share: section.share.value))
            }
        }
        return access
    }

    private func credentials(
        _ section: ServerAPISection, at path: ConfigurationPath
    ) throws(ConfigurationError) -> ServerAPICredentials {
        for (name, id) in [("keyId", section.keyId), ("issuerId", section.issuerId)] {
            guard id.isIdentifier else {
                throw self.mistake(
                    path + .key(name), id.isEmpty ? "is missing" : "has to be 1 to 128 visible ASCII characters")
            }
        }
        let keyPath = path + "privateKeyFile"
        let file = try self.file(section.privateKeyFile, at: keyPath)
        try self.keepSecret(file, at: keyPath)
        let text = String(decoding: try self.contents(of: file, at: keyPath), as: UTF8.self)
        do {
            return try ServerAPICredentials(
                keyID: section.keyId, issuerID: section.issuerId, privateKeyPEM: text)
        } catch {
            throw self.mistake(keyPath, "\(file): \(error.message)")
        }
    }

    private func baseURLs(
        _ texts: [String: String], among environments: [AppStoreEnvironment], at path: ConfigurationPath
    ) throws(ConfigurationError) -> [AppStoreEnvironment: String] {
        var urls: [AppStoreEnvironment: String] = [:]
        for (name, text) in texts.sorted(by: { $0.key < $1.key }) {
            let path = path + .key(name)
            guard let environment = AppStoreEnvironment(argument: name) else {
                throw self.mistake(path, Self.unknownEnvironment(name))
            }
            guard environments.contains(environment) else {
                throw self.mistake(path, "the app's environments do not name \(name)")
            }
            guard let url = URLComponents(string: text), ["http", "https"].contains(url.scheme),
                url.host?.isEmpty == false,
                url.user == nil, url.query == nil, url.fragment == nil
            else { throw self.mistake(path, "expected an http or https URL such as http://127.0.0.1:8090") }
            urls[environment] = text.hasSuffix("/") ? String(text.dropLast()) : text
        }
        return urls
    }
}
