import EntitlementStream
import ZeroMQ

extension LoadedConfiguration {
    /// nil where nothing is published.
    func stream() throws(ConfigurationError) -> StreamConfiguration? {
        guard let section = self.values.stream, !section.bind.isEmpty else { return nil }
        let path: ConfigurationPath = ["stream"]
        let bind = try self.endpoint(section.bind, at: path + "bind")
        guard !bind.hasSuffix(":65535") else {
            throw self.mistake(path + "bind", "the port after it is needed as well")
        }
        return StreamConfiguration(
            bind: bind, keys: try self.streamKeys(section), subscribers: try self.subscribers(section))
    }

    private func streamKeys(_ section: StreamSection) throws(ConfigurationError) -> CurveKeyPair {
        if section.curveKeyFile == nil, let cluster = self.values.cluster {
            return try self.curveKeys(cluster.curveKeyFile, at: ["cluster", "curveKeyFile"])
        }
        return try self.curveKeys(section.curveKeyFile ?? "", at: ["stream", "curveKeyFile"])
    }

    private func subscribers(_ section: StreamSection) throws(ConfigurationError) -> [[UInt8]: String] {
        var subscribers: [[UInt8]: String] = [:]
        for (index, subscriber) in section.subscribers.enumerated() {
            let path: ConfigurationPath = ["stream", "subscribers", .index(index)]
            guard !subscriber.name.isEmpty else { throw self.mistake(path + "name", "is missing") }
            guard !subscribers.values.contains(subscriber.name) else {
                throw self.mistake(path + "name", "\(subscriber.name) names two subscribers")
            }
            guard let key = Z85.bytes(of: subscriber.curveKey), subscriber.curveKey.utf8.count == Z85.keyLength else {
                throw self.mistake(path + "curveKey", "expected a public key as `perennial keys new` prints it")
            }
            guard subscribers.updateValue(subscriber.name, forKey: key) == nil else {
                throw self.mistake(path + "curveKey", "is the same as another subscriber's")
            }
        }
        return subscribers
    }
}
