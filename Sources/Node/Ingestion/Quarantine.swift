package import EventLog
package import ServiceContract
import ServiceLifecycle
package import Shards
import Subscriptions

/// What is authentic but not for this configuration: kept, and read anew on request.
package struct Quarantine: Sendable {
    let store: any EventStore
    let clock: any WallClock
    let metrics: RuntimeMetrics

    package init(store: any EventStore, clock: any WallClock, metrics: RuntimeMetrics) {
        self.store = store
        self.clock = clock
        self.metrics = metrics
    }

    /// Durable when it returns; a payload that is there already is kept once.
    func keep(_ signedPayload: [UInt8], reason: String, detail: String) async throws {
        try await self.store.quarantine(
            QuarantinedPayload(
                digest: Self.digest(of: signedPayload), reason: reason, detail: detail,
                receivedAt: self.clock.now.milliseconds, raw: signedPayload))
        try await self.measure()
    }

    /// Of what is signed. The signature is left out: of one (r, s) anybody makes (r, n − s), which holds too, and Apple signs
    /// the same anew.
    private static func digest(of signedPayload: [UInt8]) -> [UInt8] {
        let end = signedPayload.lastIndex(of: UInt8(ascii: ".")) ?? signedPayload.endIndex
        return ContentHash.sha256(Array(signedPayload[..<end]))
    }

    /// Offers every row to `take`, which says whether it is recorded now, and lets go of those that are. It ends early when
    /// its task is cancelled or the node stops: the rows are many, and those that are left stay for the next time.
    package func replay(_ take: ([UInt8]) async throws -> Bool) async throws -> QuarantineReplay {
        var replay = QuarantineReplay()
        var last: Int64 = 0
        while !Task.isCancelled, !Task.isShuttingDownGracefully,
            let row = try await self.store.quarantined(after: last, limit: 1).first
        {
            last = row.id
            do {
                if try await take(row.raw) {
                    try await self.store.removeQuarantined(row.id)
                    replay.applied += 1
                } else {
                    replay.kept += 1
                }
            } catch {
                replay.failed += 1
            }
        }
        try await self.measure()
        return replay
    }

    package func measure() async throws { self.metrics.setQuarantineDepth(try await self.store.quarantineDepth()) }
}
