package import EventLog
import Ownership

/// What any thread of this node may use of one shard. A class, since each check looks at a few of these parts, and copying
/// them all would take longer.
package final class ShardParts: Sendable {
    package let shard: ShardID
    /// Whether the shard is assigned to this node; nil where ownership goes by leases.
    let isAssigned: Bool?
    let queue: ShardQueue
    package let status: ShardStatus
    package let entitlements: EntitlementTable
    /// Of all shards; nil where other nodes make commits as well, and nobody follows them.
    let customers: CustomerTable?
    /// Of this shard's traffic.
    package let metrics = ShardMetrics()

    init(
        shard: ShardID, isAssigned: Bool?, queue: ShardQueue, status: ShardStatus, entitlements: EntitlementTable,
        customers: CustomerTable?
    ) {
        self.shard = shard
        self.isAssigned = isAssigned
        self.queue = queue
        self.status = status
        self.entitlements = entitlements
        self.customers = customers
    }

    /// This node answers for the shard; for others it asks their owners.
    package var isOurs: Bool { self.isAssigned ?? self.status.isOwned }
}
