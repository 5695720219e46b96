import EventLog
package import Ownership
package import ServiceContract
import Subscriptions

/// The questions of one batch, with what leads to their rows.
package struct CheckQuestions {
    package let requests: [CheckRequest]
    package let digests: [IDDigest]
    package let order: ShardOrder

    package init(_ requests: [CheckRequest], _ map: ShardHash) {
        self.requests = requests
        self.digests = requests.map { IDDigest(utf8: $0.id) }
        self.order = ShardOrder(self.digests.map(map.shard(of:)), shardCount: map.shardCount)
    }

    package func name(_ number: Int) -> EntitlementTable.Name {
        EntitlementTable.Name(digest: self.digests[number], kind: self.requests[number].kind)
    }
}
