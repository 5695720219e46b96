import EntitlementStream
import EventLog
import Mirroring
import Shards
import Synchronization
import WireProtocol

/// Stands on both ends of a stream, and notes how long changes are under way.
final class DelayWatch: ChangeListener, StreamSink {
    private struct Place: Hashable {
        var shard: ShardID
        var sequence: LogSequence
    }

    private struct State {
        var mirror: EntitlementMirror?
        var begun: [Place: ContinuousClock.Instant] = [:]
        var delays: [Duration] = []
    }

    private let publisher: Publisher
    private let state = Mutex(State())

    init(_ publisher: Publisher) { self.publisher = publisher }

    /// What the stream is followed for.
    func watch(_ mirror: EntitlementMirror) { self.state.withLock { $0.mirror = mirror } }

    /// nil while some are under way.
    var delays: [Duration]? { self.state.withLock { $0.begun.isEmpty ? $0.delays : nil } }
    private var mirror: EntitlementMirror? { self.state.withLock(\.mirror) }

    // MARK: Where it begins

    var wantsCustomers: Bool { self.publisher.wantsCustomers }

    func hear(_ deltas: [StreamDelta], of shard: ShardID) {
        let now = ContinuousClock.now
        self.state.withLock { state in
            for delta in deltas { state.begun[Place(shard: shard, sequence: delta.position.sequence)] = now }
        }
        self.publisher.hear(deltas, of: shard)
    }

    // MARK: Where it ends

    func take(_ image: SubscriptionImage, in shard: ShardID) throws(MirrorError) {
        try self.mirror?.take(image, in: shard)
    }

    func setPosition(_ position: Position) {
        self.mirror?.setPosition(position)
        self.state.withLock { state in
            let place = Place(shard: position.shard, sequence: position.sequence)
            if let begun = state.begun.removeValue(forKey: place) { state.delays.append(.now - begun) }
        }
    }

    func setCurrent(_ shard: ShardID, asOf moment: ContinuousClock.Instant) {
        self.mirror?.setCurrent(shard, asOf: moment)
    }

    func beginRestart(of shard: ShardID) { self.mirror?.beginRestart(of: shard) }

    func endRestart(of shard: ShardID) { self.mirror?.endRestart(of: shard) }
}
