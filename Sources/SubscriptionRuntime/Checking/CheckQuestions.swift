import EventSourcing
import Sharding
import Subscriptions

/// The questions of one batch, with what leads to their rows.
struct CheckQuestions {
    let requests: [CheckRequest]
    let digests: [IDDigest]
    let order: ShardOrder

    init(_ requests: [CheckRequest], _ map: ShardMap) {
        self.requests = requests
        self.digests = requests.map { IDDigest(utf8: $0.id) }
        self.order = ShardOrder(self.digests.map(map.shard(of:)), shardCount: map.shardCount)
    }

    func name(_ number: Int) -> EntitlementTable.Name {
        EntitlementTable.Name(digest: self.digests[number], kind: self.requests[number].kind)
    }
}
