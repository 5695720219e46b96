import EventLog
import StrictJSON
import SubscriptionService
import Subscriptions

extension ClusterStatus {
    /// The runs that nobody has taken for dead.
    var living: Set<ShardRecord.Owner> {
        Set(self.nodes.map(\.status).filter { $0.life == .live }.map(\.owner))
    }

    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("answeredBy", self.answeredBy.rawValue)
            json.member("featureLevel", Int64(self.featureLevel.rawValue))
            json.member("nodes") { json in
                json.array { json in
                    for node in self.nodes { node.write(to: &json) }
                }
            }
            json.member("shards") { json in
                json.object { json in
                    json.member("count", Int64(self.shards.count))
                    json.member("withoutOwner", Int64(self.shardsWithoutOwner))
                }
            }
            json.member("inbox") { json in
                if let inbox = self.inbox { inbox.write(to: &json) } else { json.null() }
            }
        }
    }

    func writeShards(to json: inout JSONWriter) {
        let living = self.living
        json.object { json in
            json.member("shards") { json in
                json.array { json in
                    for shard in self.shards { shard.write(to: &json, living: living) }
                }
            }
        }
    }
}

extension ClusterStatus.Node {
    fileprivate func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("id", self.status.id.rawValue)
            json.member("state", self.status.life.rawValue)
            json.member("endpoint", self.status.record.endpoint)
            // Where shards are assigned, nobody goes by leases.
            let lease = self.status.lease
            json.member("leaseMilliseconds", lease > .zero ? Int64(lease / .milliseconds(1)) : nil)
            json.member("shardsOwned", Int64(self.shardsOwned))
            json.member("featureLevel", Int64(self.status.record.featureLevel.rawValue))
        }
    }
}

extension Finalization {
    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("featureLevel", Int64(self.featureLevel.rawValue))
            json.member("raised", self.isRaised)
        }
    }
}

extension InboxDepth {
    fileprivate func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("waiting", Int64(self.waiting))
            json.member("parked", Int64(self.parked))
            json.member("oldest", self.oldest.map { Moment(milliseconds: $0) })
        }
    }
}

extension ShardRecord {
    func write(to json: inout JSONWriter, living: Set<Owner>) {
        json.object { json in
            json.member("shard", Int64(self.shard.rawValue))
            json.member("owner", self.owner?.node.rawValue)
            json.member("ownerLives", self.owner.map(living.contains) ?? false)
            json.member("epoch", self.epoch.rawValue)
            json.member("head", self.head.rawValue)
        }
    }
}
