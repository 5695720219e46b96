import Webhooks

extension LoadedConfiguration {
    func outbound() throws(ConfigurationError) -> OutboundGuard {
        var networks: [Network] = []
        for (index, text) in self.values.webhooks.allow.enumerated() {
            guard let network = Network(text) else {
                throw self.mistake(["webhooks", "allow", .index(index)], "expected a network such as 10.1.0.0/16")
            }
            networks.append(network)
        }
        return OutboundGuard(allowing: networks)
    }
}
