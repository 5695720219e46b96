package import ServiceContract

/// Which source is asked about which question of a check, and in which order. What a step answers is not asked of a later one.
///
///     local         mirror at the token → memory → mirror → owners → store
///     owner         owners, again while shards change hands
///     durable       the same, not older than the newest commits
package struct CheckPlan: Hashable {
    package enum Source: Hashable {
        /// This node's mirror, once it has come as far as the token names: shards of others alone.
        case mirrorAtToken
        /// The tables of this node's own shards, as they are.
        case memory
        /// This node's mirror, as far as it has come.
        case mirror
        /// The owner of each shard, which loads what it does not have in memory; this node for its own shards.
        case owners
        /// The store, for shards whose owners are away.
        case store
    }

    package struct Step: Hashable {
        package var source: Source
        /// Of the questions, ascending.
        package var numbers: [Int]
    }

    /// What a node knows of the shards that are asked about.
    package struct Ownership {
        /// Whether the shard of each question is this node's.
        package var isOurs: [Bool]
        package var hasMirror: Bool
        /// Other nodes may own shards.
        package var hasOthers: Bool

        package init(isOurs: [Bool], hasMirror: Bool, hasOthers: Bool) {
            self.isOurs = isOurs
            self.hasMirror = hasMirror
            self.hasOthers = hasOthers
        }
    }

    package let steps: [Step]

    /// - Parameter namesPlaces: a token came with the question, and names places of these shards.
    package init(_ consistency: Consistency, namesPlaces: Bool, _ ownership: Ownership) {
        let all = Array(ownership.isOurs.indices)
        let ours = all.filter { ownership.isOurs[$0] }
        var steps: [Step] = []
        switch consistency {
        case .local:
            if ownership.hasMirror, namesPlaces {
                // Of its own shards a node hears from itself before its mirror does.
                steps.append(Step(source: .mirrorAtToken, numbers: all.filter { !ownership.isOurs[$0] }))
            }
            if ownership.hasMirror {
                steps.append(Step(source: .memory, numbers: ours))
                steps.append(Step(source: .mirror, numbers: all))
            }
            steps.append(Step(source: .owners, numbers: all))
            if ownership.hasOthers { steps.append(Step(source: .store, numbers: all)) }
        case .owner, .durable: steps.append(Step(source: .owners, numbers: all))
        }
        self.steps = steps.filter { !$0.numbers.isEmpty }
    }
}
