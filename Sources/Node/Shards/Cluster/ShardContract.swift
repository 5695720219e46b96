package import Clustering
import ServiceContract
import WireProtocol

extension CallContract {
    /// What nodes may call on each other's shards (proto: `ShardTarget`, `ShardError`). The identifiers are those that
    /// the compiler gives to the functions of `ShardEndpoint`; a test holds them against what calls say.
    package static let shards = CallContract(
        targets: [
            .shard(
                .submit,
                "$s6Shards13ShardEndpointC6submity10Clustering16EventualOutcomesC12WireProtocol12CommandBatchVYaKFTE",
                isOrdered: true, usesInbox: true),
            .shard(.check, "$s6Shards13ShardEndpointC5checkyAA0B8VerdictsVAA0B6ChecksVYaKFTE", isOrdered: false),
            .shard(.move, "$s6Shards13ShardEndpointC4moveyyAA0B4MoveVYaKFTE", isOrdered: false),
            .shard(
                .compare, "$s6Shards13ShardEndpointC7compareyAA0B16ComparisonResultVAA0bE0VYaKFTE",
                isOrdered: false),
            .shard(.head, "$s6Shards13ShardEndpointC4headAA0B4HeadVyYaKFTE", isOrdered: false),
        ],
        errors: [UInt32(ProtoShardError.refusal.rawValue): ServiceError.self])
}

extension CallContract.Target {
    fileprivate static func shard(
        _ target: ProtoShardTarget, _ identifier: String, isOrdered: Bool, usesInbox: Bool = false
    ) -> Self {
        Self(UInt32(target.rawValue), identifier, isOrdered: isOrdered, usesInbox: usesInbox)
    }
}
