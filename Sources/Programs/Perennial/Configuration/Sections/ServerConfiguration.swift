/// Everything a configuration can say. The property names are the keys as users write them.
package struct ServerConfiguration: ConfigurationSection {
    package var node = NodeConfiguration()
    package var http = HTTPConfiguration()
    package var store = StoreConfiguration()
    /// `cluster`: only for a node among others.
    package var cluster: ClusterSection?
    /// `stream`: only for a node that publishes.
    package var stream: StreamSection?
    package var webhooks = WebhooksSection()
    /// `apps`: the apps whose purchases are kept; at least one.
    package var apps: [AppConfiguration] = []
    package var entitlements = EntitlementsConfiguration()
    package var customers = CustomersSection()
    package var sharding = ShardingConfiguration()
    package var verification = VerificationConfiguration()
    package var log = LogConfiguration()

    package init() {}
}
