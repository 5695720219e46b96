import Entitlements
import EventLog
import HTTPAPI
import Logging
import Shards
import Subscriptions

extension LoadedConfiguration {
    /// Holds every value against what it means.
    /// - Throws: for the first one that cannot be right.
    package func check(for purpose: ConfigurationPurpose) throws(ConfigurationError) -> CheckedConfiguration {
        guard self.values.node.id.isIdentifier else {
            throw self.mistake(["node", "id"], "has to be 1 to 128 visible ASCII characters")
        }
        let count = self.values.sharding.count
        guard (16...4096).contains(count), count.nonzeroBitCount == 1 else {
            throw self.mistake(["sharding", "count"], "\(count) is no power of two from 16 to 4096")
        }
        var runtime = RuntimeConfiguration()
        runtime.node = NodeID(rawValue: self.values.node.id)
        runtime.rules = try self.rules()
        runtime.customers = try self.customers()
        let store = try self.store()
        if let cluster = self.values.cluster {
            guard purpose == .serve, case .postgres = store else {
                throw self.mistake(
                    ["cluster"], "nodes that share shards share a store: they run with `serve` on postgresql://")
            }
            runtime.cluster = try self.cluster(cluster, node: runtime.node)
            runtime.shards = try self.shards(cluster.shards, of: count)
            runtime.lease = try self.lease(cluster)
        }
        let tokens = try self.tokens()
        var http = HTTPAPI.Configuration(
            main: try self.mainListener(hasTokens: !tokens.isEmpty), outside: try self.publicListener(), tokens: tokens)
        http.publicOrigin = try self.publicOrigin()
        http.backupsKeptFor = self.values.store.backupsKeptFor?.length
        return CheckedConfiguration(
            http: http,
            runtime: runtime,
            stream: try self.stream(),
            mirror: try self.mirror(),
            outbound: try self.outbound(),
            store: store,
            shardCount: count,
            apps: try self.apps(for: purpose),
            serverAPI: try self.serverAPI(),
            catalog: try self.catalog(),
            ocsp: self.values.verification.ocsp,
            logLevel: try self.logLevel())
    }

    private func store() throws(ConfigurationError) -> StoreLocation {
        let path: ConfigurationPath = ["store", "url"]
        let location: StoreLocation
        do throws(StoreLocation.Mistake) {
            location = try StoreLocation(url: self.values.store.url)
        } catch {
            throw self.mistake(path, error.message)
        }
        guard case .sqlite(let file) = location else { return location }
        return .sqlite(self.resolve(file: file, at: path))
    }

    /// What `entitlements` says, whatever else the configuration lacks.
    /// - Throws: for the first value there that cannot be right.
    func checkEntitlements() throws(ConfigurationError) -> (catalog: Catalog, rules: DerivationRules) {
        (try self.catalog(), try self.rules())
    }

    private func catalog() throws(ConfigurationError) -> Catalog {
        var entries: [Catalog.Entry] = []
        for (index, entry) in self.values.entitlements.catalog.enumerated() {
            let path: ConfigurationPath = ["entitlements", "catalog", .index(index)]
            guard entry.entitlement.isIdentifier else {
                throw self.mistake(path + "entitlement", "has to be 1 to 128 visible ASCII characters")
            }
            guard !entry.products.isEmpty else { throw self.mistake(path + "products", "names no product") }
            if let level = entry.level, let rank = entry.rank, level != rank {
                throw self.mistake(path + "level", "is the old name of rank, and says \(level) where rank says \(rank)")
            }
            entries.append(
                .init(
                    entitlement: entry.entitlement, products: entry.products, rank: entry.rank ?? entry.level ?? 1))
        }
        return Catalog(entries)
    }

    private func rules() throws(ConfigurationError) -> DerivationRules {
        var rules = DerivationRules()
        for (name, leeway) in self.values.entitlements.renewalLeeway.sorted(by: { $0.key < $1.key }) {
            guard let environment = AppStoreEnvironment(argument: name) else {
                throw self.mistake(["entitlements", "renewalLeeway", .key(name)], Self.unknownEnvironment(name))
            }
            rules.renewalLeeway[environment] = leeway.length
        }
        rules.nonRenewingDuration = self.values.entitlements.nonRenewing.mapValues(\.length)
        return rules
    }

    private func logLevel() throws(ConfigurationError) -> Logger.Level {
        guard let level = Logger.Level(rawValue: self.values.log.level) else {
            let known = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
            throw self.mistake(["log", "level"], "unknown level \(self.values.log.level); it is one of \(known)")
        }
        return level
    }
}
