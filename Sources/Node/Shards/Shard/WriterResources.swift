import EventLog
import Logging
import Ownership
import Waiting

/// What all writers of a node share.
struct WriterResources: Sendable {
    /// Shards load together.
    let loads: LoadQueue
    var store: any EventStore { self.loads.store }
    let configuration: RuntimeConfiguration
    let links: LinkJudge
    let rulebook: Rulebook
    let clock: any WallClock
    let watch: ClockWatch
    /// nil where Apple cannot be asked.
    let doubts: (any DoubtListener)?
    /// Takes writers of shards whose subscriptions are to be counted.
    let uncounted: AsyncStream<ShardWriter>.Continuation
    let map: ShardHash
    let leftToDo: LeftToDo
    /// A commit is durable with a stream that supersedes another one.
    let successions: AsyncEvent
    let metrics: RuntimeMetrics
    let logger: Logger
}
