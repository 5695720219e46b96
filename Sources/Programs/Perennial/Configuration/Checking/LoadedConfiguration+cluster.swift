import Clustering
import EventLog
import Ownership
import Subscriptions
import ZeroMQ

extension LoadedConfiguration {
    func cluster(
        _ section: ClusterSection, node: NodeID
    ) throws(ConfigurationError) -> Clustering.ClusterConfiguration {
        let path: ConfigurationPath = ["cluster"]
        let bind = try self.endpoint(section.bind, at: path + "bind")
        guard section.advertise != nil || !Self.isEverywhere(section.bind) else {
            throw self.mistake(path + "advertise", "is missing: others cannot connect to \(section.bind)")
        }
        let advertise = try section.advertise.map { address throws(ConfigurationError) in
            try self.reachableEndpoint(address, at: path + "advertise")
        }
        var cluster = Clustering.ClusterConfiguration(
            node: node, incarnation: Incarnation(rawValue: .random(in: .min ... .max)), bind: bind,
            keys: try self.curveKeys(section.curveKeyFile, at: path + "curveKeyFile"))
        cluster.advertise = advertise
        return cluster
    }

    /// `host:port` as ZeroMQ writes it.
    func endpoint(_ address: String, at path: ConfigurationPath) throws(ConfigurationError) -> String {
        guard !address.isEmpty else { throw self.mistake(path, "is missing") }
        guard let colon = address.lastIndex(of: ":"), colon > address.startIndex,
            UInt16(address[address.index(after: colon)...]) != nil
        else { throw self.mistake(path, "expected an address and a port, such as 10.0.0.5:7000") }
        return "tcp://\(address)"
    }

    /// The same for an address that others connect to.
    private func reachableEndpoint(
        _ address: String, at path: ConfigurationPath
    ) throws(ConfigurationError) -> String {
        let endpoint = try self.endpoint(address, at: path)
        guard !Self.isEverywhere(address) else {
            throw self.mistake(path, "others cannot connect to \(address); name one address of this node")
        }
        guard address.split(separator: ":").last.flatMap({ UInt16($0) }) != 0 else {
            throw self.mistake(path, "others cannot connect to port 0; name the one that they reach")
        }
        return endpoint
    }

    static func isEverywhere(_ address: String) -> Bool {
        ["0.0.0.0:", "*:", "[::]:", ":::"].contains { address.hasPrefix($0) }
    }

    func curveKeys(_ name: String, at path: ConfigurationPath) throws(ConfigurationError) -> CurveKeyPair {
        let file = try self.file(name, at: path)
        try self.keepSecret(file, at: path)
        let text = String(decoding: try self.contents(of: file, at: path), as: UTF8.self)
        guard let keys = CurveKeyPair(file: text) else {
            throw self.mistake(path, "\(file): holds no CURVE key as `perennial keys new` writes it")
        }
        return keys
    }

    /// nil where shards are assigned.
    func lease(_ section: ClusterSection) throws(ConfigurationError) -> LeaseTerms? {
        guard section.shards == nil else {
            guard section.lease == nil else {
                throw self.mistake(["cluster", "lease"], "does not apply where cluster.shards assigns the shards")
            }
            return nil
        }
        let length = Duration.milliseconds(section.lease?.length.rawValue ?? 5_000)
        guard (LeaseTerms.shortest...LeaseTerms.longest).contains(length) else {
            throw self.mistake(["cluster", "lease"], "has to be 3s to 1m")
        }
        return LeaseTerms(length: length)
    }

    /// nil for all.
    func shards(_ text: String?, of count: Int) throws(ConfigurationError) -> Set<ShardID>? {
        guard let text else { return nil }
        var shards = Set<ShardID>()
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let ends = part.split(separator: "-", omittingEmptySubsequences: false).map { UInt16($0) }
            guard let first = ends.first ?? nil, let last = ends.last ?? nil, ends.count <= 2, first <= last,
                Int(last) < count
            else {
                throw self.mistake(
                    ["cluster", "shards"], "expected shards from 0 to \(count - 1), such as 0-\(count / 2 - 1)")
            }
            shards.formUnion((first...last).map(ShardID.init(rawValue:)))
        }
        return shards
    }
}
