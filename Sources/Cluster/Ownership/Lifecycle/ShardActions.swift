package import EventLog

/// The actions that one event causes: one each for queue, readers, timer, cluster and writer. A part is nil when nothing changes.
package struct ShardActions: Hashable, Sendable {
    package enum TimerAction: Hashable, Sendable {
        /// What is due next is not known here: the store has to be asked.
        case askStore
        /// Another node records what is due.
        case rest
        /// The run ends.
        case close
    }

    package enum ClusterAction: Hashable, Sendable {
        case serve(under: Epoch)
        /// Calls go to another node.
        case withdraw
    }

    package var queue: ShardIntake?
    /// Answers that rest on the time before must not leave: the generation is raised.
    package var isNewGeneration: Bool
    package var timer: TimerAction?
    package var cluster: ClusterAction?
    /// What the writer has to apply.
    package var writer: ShardNews?

    init(from before: ShardLifecycle, to after: ShardLifecycle, writer: ShardNews?) {
        let isServedAnew = before.servedEpoch != after.servedEpoch
        let intake = after.intake
        self.queue = before.intake == intake ? nil : intake
        self.isNewGeneration = isServedAnew || before.isServing != after.isServing
        self.timer =
            if after.isEnding { before.isEnding ? nil : .close } else if isServedAnew {
                after.servedEpoch == nil ? .rest : .askStore
            } else { nil }
        self.cluster = isServedAnew ? after.servedEpoch.map(ClusterAction.serve) ?? .withdraw : nil
        self.writer = writer
    }
}
