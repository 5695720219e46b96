import EntitlementStream
import Subscriptions

extension LoadedConfiguration {
    /// nil where there is nothing to follow, or no wish to.
    func mirror() throws(ConfigurationError) -> MirrorConfiguration? {
        for (index, role) in self.values.node.roles.enumerated() where role != "mirror" {
            throw self.mistake(["node", "roles", .index(index)], "unknown role \(role); it is mirror")
        }
        let staleness = Duration.milliseconds(self.values.stream?.staleness?.length.rawValue ?? 2_000)
        guard (.seconds(1)...Duration.seconds(60)).contains(staleness) else {
            throw self.mistake(["stream", "staleness"], "has to be 1s to 1m")
        }
        guard let stream = self.values.stream, let cluster = self.values.cluster, !stream.bind.isEmpty,
            self.values.node.roles.contains("mirror")
        else { return nil }
        let advertised = Self.isEverywhere(stream.bind) ? Self.host(of: cluster.advertise ?? cluster.bind) : nil
        return MirrorConfiguration(staleness: staleness, advertisedHost: advertised)
    }

    private static func host(of address: String) -> String {
        address.lastIndex(of: ":").map { String(address[..<$0]) } ?? address
    }
}
