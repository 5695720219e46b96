package import EventLog
package import WireProtocol

extension EntitlementMirror: StreamSink {
    package func take(_ image: SubscriptionImage, in shard: ShardID) throws(MirrorError) {
        try self.apply(key: image.key, entitlement: image.entitlement, in: shard)
    }

    package func renew(_ image: SubscriptionImage, in shard: ShardID) throws(MirrorError) {
        try self.apply(key: image.key, entitlement: image.entitlement, in: shard, .sameVersion)
    }
}
