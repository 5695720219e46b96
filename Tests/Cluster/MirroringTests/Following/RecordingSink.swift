import EventLog
import Mirroring
import Synchronization
import WireProtocol

/// Keeps what it is told as a mirror would, and notes what must not happen.
final class RecordingSink: StreamSink {
    struct Shard: Sendable {
        var rows: [UInt8: Int64] = [:]
        /// By which each row was made.
        var rules: [UInt8: UInt32] = [:]
        var doubted: Set<UInt8> = []
        var position: StreamPosition?
        var current: ContinuousClock.Instant?
        /// Told so far, for those who watch that things move.
        var restarts = 0
    }

    private struct State {
        var shards = [Shard](repeating: Shard(), count: StreamModel.shardCount)
        var complaints: [String] = []
    }

    private let state = Mutex(State())

    var shards: [Shard] { self.state.withLock(\.shards) }
    var complaints: [String] { self.state.withLock(\.complaints) }

    func take(_ image: SubscriptionImage, in shard: ShardID) throws(MirrorError) {
        self.update(shard) { shard, complaints in
            let (key, version) = (image.key[1], image.version.rawValue)
            let old = shard.doubted.contains(key) ? nil : shard.rows[key]
            guard version > old ?? 0 else { return }
            if shard.position != nil, version != (shard.rows[key] ?? 0) + 1 {
                complaints.append("version \(version) of \(key) after \(shard.rows[key] ?? 0)")
            }
            shard.doubted.remove(key)
            shard.rows[key] = version
            shard.rules[key] = UInt32(image.entitlement[1])
        }
    }

    func renew(_ image: SubscriptionImage, in shard: ShardID) throws(MirrorError) {
        self.update(shard) { shard, _ in
            let key = image.key[1]
            if shard.rows[key] == image.version.rawValue { shard.rules[key] = UInt32(image.entitlement[1]) }
        }
    }

    func setPosition(_ position: Position) {
        self.update(position.shard) { shard, complaints in
            if let old = shard.position, position.sequence.rawValue != old.sequence.rawValue + 1 {
                complaints.append("position \(position.sequence.rawValue) after \(old.sequence.rawValue)")
            }
            shard.position = StreamPosition(position)
        }
    }

    func setCurrent(_ shard: ShardID, asOf moment: ContinuousClock.Instant) {
        self.update(shard) { shard, _ in shard.current = max(moment, shard.current ?? moment) }
    }

    func beginRestart(of shard: ShardID) {
        self.update(shard) { shard, _ in
            shard.doubted = Set(shard.rows.keys)
            shard.position = nil
            shard.current = nil
            shard.restarts += 1
        }
    }

    func endRestart(of shard: ShardID) {
        self.update(shard) { shard, _ in
            for key in shard.doubted { (shard.rows[key], shard.rules[key]) = (nil, nil) }
            shard.doubted = []
        }
    }

    private func update(_ shard: ShardID, _ body: (inout Shard, inout [String]) -> Void) {
        self.state.withLock { state in body(&state.shards[Int(shard.rawValue)], &state.complaints) }
    }
}
