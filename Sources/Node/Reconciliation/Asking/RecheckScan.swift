import EventLog
import Logging
import ServiceContract
import Shards
import Subscriptions
import Waiting

/// Finds what is doubtful in the shards of this node, from the store: after a start or a take-over nobody remembers what
/// was to be asked.
struct RecheckScan: Sendable {
    private static let pageSize = 500
    private static let pause = Duration.seconds(5)
    /// Doubts that arose meanwhile are known; this one finds what was dropped.
    private static let interval = Duration.seconds(3_600)
    /// What is found together is asked about over this time.
    private static let spread = Milliseconds.seconds(15)
    /// Of what time alone has ended longer ago, Apple has told, or the slow comparison will find it.
    private static let recent = Milliseconds.days(2)

    let queue: RecheckQueue
    let accounts: AccountDirectory
    let router: ShardRouter
    let rules: DerivationRules
    let clock: any WallClock
    let logger: Logger

    /// Until it is cancelled.
    func run() async {
        var scanned: [ShardID: (epoch: Epoch?, at: ContinuousClock.Instant)] = [:]
        while !Task.isCancelled {
            for parts in self.router.parts where parts.isOurs && parts.status.isServing {
                let epoch = parts.status.epoch
                if let last = scanned[parts.shard], last.epoch == epoch, .now - last.at < Self.interval { continue }
                do {
                    let isFirst = scanned[parts.shard]?.epoch != epoch
                    try await FoldingThreads.shared.run { try await self.scan(parts.shard, isFirst: isFirst) }
                    scanned[parts.shard] = (epoch, .now)
                } catch {
                    self.logger.debug(
                        "A shard could not be searched for doubtful subscriptions",
                        metadata: .runtime([.shard: "\(parts.shard.rawValue)", .error: "\(error)"]))
                }
            }
            try? await Task.sleep(for: Self.pause)
        }
    }

    /// - Parameter isFirst: since the shard is this node's, which has asked nothing about it yet.
    private func scan(_ shard: ShardID, isFirst: Bool) async throws {
        var last: [UInt8]?
        while true {
            let rows = try await self.router.store.streams(in: shard, after: last, limit: Self.pageSize)
            let now = self.clock.now
            for row in rows {
                guard let key = StreamKey(bytes: row.key), key.kind.givesAccess,
                    self.accounts.client(of: key) != nil
                else { continue }
                let state = try await self.router.store.loadState(row, key: key, in: shard)
                guard let outlook = Outlook(state, rules: self.rules) else { continue }
                if let doubt = outlook.doubt(at: now) {
                    self.queue.find(key, AskReason(doubt), within: Self.spread)
                } else if isFirst, outlook.hasEndedByTimeAlone(within: Self.recent, before: now) {
                    self.queue.raise(key, .endedByTime)
                }
            }
            guard rows.count == Self.pageSize, let key = rows.last?.key, !Task.isCancelled else { return }
            last = key
        }
    }
}
