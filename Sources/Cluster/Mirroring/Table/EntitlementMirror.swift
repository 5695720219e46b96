package import Ownership
package import Subscriptions
import Synchronization

/// The entitlements of all subscriptions and purchases in memory: "entitled, now?" answered without I/O, without a lock
/// and without an allocation, for as many threads as ask. Whoever follows the stream tells it what has changed and how
/// far it has followed.
///
/// An answer is what `EntitlementRow.answer(at:)` says of the newest row that was taken over, so nobody is entitled past
/// `validUntil`, even on a mirror that hears nothing more.
package final class EntitlementMirror: Sendable {
    static let segmentLogarithm = 6
    static var segmentCount: Int { 1 << self.segmentLogarithm }

    final class Writer: Sendable {
        let segment: Mutex<MirrorSegment>

        init(_ view: SegmentView, _ memory: MirrorMemory) {
            self.segment = Mutex(MirrorSegment(view: view, memory: memory))
        }
    }

    package let map: ShardHash
    let names: MirrorNames
    let progress: ShardProgress
    private let staleness: Int64
    private let origin: ContinuousClock.Instant
    /// The lines of all segments: atomic words, and they stay where they are.
    private nonisolated(unsafe) let heads: Words
    let writers: [Writer]
    private let memory: MirrorMemory

    /// - Parameters:
    ///   - map: of the store that is mirrored.
    ///   - staleness: `stream.staleness`: answers about a shard that has not been current for longer say so.
    ///   - origin: a moment that no other comes before, by which moments are counted.
    package init(map: ShardHash, staleness: Duration = .seconds(2), origin: ContinuousClock.Instant = .now) {
        let memory = MirrorMemory()
        let heads = memory.words(Self.segmentCount * SegmentView.wordCount)
        self.map = map
        self.names = MirrorNames(memory: memory)
        self.progress = ShardProgress(shardCount: map.shardCount, in: memory)
        self.staleness = staleness.nanoseconds
        self.origin = origin
        self.heads = heads
        self.writers = (0..<Self.segmentCount).map { number in
            Writer(SegmentView(words: heads + number * SegmentView.wordCount), memory)
        }
        self.memory = memory
    }

    @inline(__always)
    func view(_ hash: UInt64) -> SegmentView {
        SegmentView(words: self.heads + Int(hash >> UInt64(64 - Self.segmentLogarithm)) * SegmentView.wordCount)
    }

    /// All memory that the table takes, with what growing has left behind.
    package var bytes: Int { self.memory.bytes }

    /// How many streams there is memory for: those that `endRestart` took away count as well.
    package var count: Int { self.writers.reduce(0) { $0 + $1.segment.withLock { $0.entryCount } } }

    // MARK: Time

    /// What all checks of a batch have in common.
    package func time(_ moment: Moment, _ now: ContinuousClock.Instant) -> MirrorTime {
        MirrorTime(
            milliseconds: moment.milliseconds, phaseBound: PhaseWord.bound(at: moment.milliseconds),
            bound: self.nanoseconds(now).subtractingReportingOverflow(self.staleness).partialValue)
    }

    func nanoseconds(_ moment: ContinuousClock.Instant) -> Int64 {
        self.origin.duration(to: moment).nanoseconds
    }
}

/// The moment of a question.
package struct MirrorTime: Sendable {
    let milliseconds: Int64
    /// Words of phases that have begun are below it.
    let phaseBound: UInt64
    /// What was last current before this, in nanoseconds since the mirror's origin, is stale.
    let bound: Int64
}

extension Duration {
    /// Saturates.
    fileprivate var nanoseconds: Int64 {
        let (seconds, attoseconds) = self.components
        guard seconds.magnitude < 9_000_000_000 else { return seconds < 0 ? .min + 1 : .max }
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}
