import AppStore
import ByteCoding
import Subscriptions

extension LoadedConfiguration {
    func apps(for purpose: ConfigurationPurpose) throws(ConfigurationError) -> [AppIdentity] {
        guard purpose == .demo || !self.values.apps.isEmpty else {
            throw self.mistake(["apps"], "names no app; each has a bundleId, environments and rootCertificates")
        }
        var apps: [AppIdentity] = []
        for (index, app) in self.values.apps.enumerated() {
            let path: ConfigurationPath = ["apps", .index(index)]
            guard let bundleID = BundleID(validating: app.bundleId) else {
                throw self.mistake(path + "bundleId", app.bundleId.isEmpty ? "is missing" : "is no bundle id")
            }
            guard !apps.contains(where: { $0.bundleID == bundleID }) else {
                throw self.mistake(path + "bundleId", "\(app.bundleId) is configured twice")
            }
            let environments = try self.environments(app.environments, for: purpose, at: path + "environments")
            guard app.appAppleId.map({ $0 > 0 }) ?? !environments.contains(.production) else {
                throw self.mistake(path + "appAppleId", "Production needs the app's number in the App Store")
            }
            let roots = try self.roots(app.rootCertificates, at: path + "rootCertificates")
            guard !roots.isEmpty || !environments.isDisjoint(with: AppStoreEnvironment.unsigned) else {
                throw self.mistake(path + "rootCertificates", "names no root certificate")
            }
            do {
                apps.append(
                    try AppIdentity(
                        bundleID: bundleID, appAppleID: app.appAppleId.map(Int64.init), environments: environments,
                        roots: roots))
            } catch {
                throw self.mistake(path, error.message)
            }
        }
        return apps
    }

    static func unknownEnvironment(_ name: String) -> String {
        let nearest = AppStoreEnvironment.known.map(\.rawValue).nearest(to: name) ?? ""
        return "unknown environment \(name); the nearest known one is \(nearest)"
    }

    private func environments(
        _ names: [String], for purpose: ConfigurationPurpose, at path: ConfigurationPath
    ) throws(ConfigurationError) -> Set<AppStoreEnvironment> {
        var environments: Set<AppStoreEnvironment> = []
        for name in names {
            guard let environment = AppStoreEnvironment(argument: name) else {
                throw self.mistake(path, Self.unknownEnvironment(name))
            }
            guard AppStoreEnvironment.signed.contains(environment) || purpose == .demo else {
                throw self.mistake(path, "\(name) payloads are signed by nobody; only `perennial demo` takes them")
            }
            environments.insert(environment)
        }
        guard !environments.isEmpty else { throw self.mistake(path, "names no environment") }
        return environments
    }

    private func roots(_ files: [String], at path: ConfigurationPath) throws(ConfigurationError) -> Set<TrustedRoot> {
        var roots: Set<TrustedRoot> = []
        for (index, name) in files.enumerated() {
            let path = path + .index(index)
            let file = self.resolve(file: name, at: path)
            let bytes = try self.contents(of: file, at: path)
            do {
                roots.insert(try TrustedRoot(bytes))
            } catch {
                throw self.mistake(path, "\(file): \(error.message)")
            }
        }
        return roots
    }
}
