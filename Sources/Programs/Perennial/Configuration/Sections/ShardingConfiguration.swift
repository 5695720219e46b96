package struct ShardingConfiguration: ConfigurationSection {
    /// `sharding.count`: fixed when a store is created; a power of two from 16 to 4096, 256 unless set.
    package var count = 256

    package init() {}
}
