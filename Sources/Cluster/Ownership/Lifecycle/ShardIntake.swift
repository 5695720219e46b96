/// What a shard's queue does with commands.
package struct ShardIntake: Hashable, Sendable {
    package enum Refusal: Hashable, Sendable {
        /// Another node will own the shard.
        case leaving
        /// Another node owns the shard.
        case elsewhere
        /// The node is shutting down.
        case stopping
        /// The store has to be opened again.
        case lost
    }

    package enum Waiting: Hashable, Sendable {
        /// Kept until the shard is owned.
        case held
        case flowing
        /// Answered at once.
        case refused(Refusal)
    }

    /// Why no new command is taken; nil while they are.
    package var refusal: Refusal?
    /// What becomes of those that have been taken and not yet decided.
    package var waiting: Waiting
    /// The queue ends when it is empty.
    package var isEnding: Bool
}

extension ShardLifecycle {
    /// No command will be taken any more.
    package var isEnding: Bool { self.isLost || self.isClosing }

    /// Before the shard is owned for the first time commands are taken and held; they may come while the node takes its shards.
    package var intake: ShardIntake {
        let isReleased = self.applied.phase == .absent && self.applied.standing != nil
        let refusal: ShardIntake.Refusal? =
            if self.isLost { .lost } else if self.stored.phase == .draining { .leaving } else if isReleased {
                .elsewhere
            } else { nil }
        let waiting: ShardIntake.Waiting =
            if let refusal { .refused(refusal) } else { self.applied.phase == .serving ? .flowing : .held }
        return ShardIntake(
            refusal: self.isClosing ? .stopping : refusal, waiting: waiting, isEnding: self.isEnding)
    }
}
