import Clustering
import Distributed
import WireProtocol

/// Does nothing with commands, so that what remains is their way here and back.
distributed actor EchoShard {
    typealias ActorSystem = ClusterSystem

    distributed func submit(_ batch: CommandBatch) -> EventualOutcomes {
        Self.echo(batch)
    }

    static func echo(_ batch: CommandBatch) -> EventualOutcomes {
        let outcomes = EventualOutcomes(count: batch.items.count)
        for (place, command) in batch.items.enumerated() { outcomes.put(command, at: place) }
        return outcomes
    }
}
