import EventLog
import ServiceContract
import Shards

/// Finds out whether the logs of shards hold what the token of a check names of them.
struct TokenCheck: Sendable {
    let positions: PositionGuard
    let storeQuestions: StoreQuestions

    /// Why no answer is given about the shards of some places that a token names; each is looked up by itself.
    func refusals(
        of places: [Position], until deadline: ContinuousClock.Instant
    ) async -> [ShardID: ServiceError] {
        let unknown = places.filter { !self.positions.knows($0) }
        guard !unknown.isEmpty else { return [:] }
        return await withTaskGroup(of: (ShardID, ServiceError?).self) { group in
            for place in unknown {
                group.addTask {
                    do throws(ServiceError) {
                        if self.positions.isOurs(place.shard) { try self.positions.checkLease() }
                        try await self.storeQuestions.ask(until: deadline) {
                            try await self.positions.check(atLeast: place)
                        }
                        return (place.shard, nil)
                    } catch {
                        return (place.shard, error)
                    }
                }
            }
            var refusals: [ShardID: ServiceError] = [:]
            for await (shard, refusal) in group { refusals[shard] = refusal }
            return refusals
        }
    }
}
