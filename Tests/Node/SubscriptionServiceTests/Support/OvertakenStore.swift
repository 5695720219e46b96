import EventLog
import InMemoryStore
import PerennialTestSupport
import Synchronization

/// A store in which, once it is overtaken, each shard has one commit more than whoever runs on it has made.
final class OvertakenStore: ForwardingStore {
    let inner: any EventStore = InMemoryEventStore(shardCount: 16)
    private let overtaken = Mutex(false)

    func overtake() { self.overtaken.withLock { $0 = true } }

    func heads() async throws(StoreError) -> [Position] {
        let isOvertaken = self.overtaken.withLock { $0 }
        return try await self.inner.heads().map { head in
            guard isOvertaken else { return head }
            return Position(
                shard: head.shard, sequence: LogSequence(rawValue: head.sequence.rawValue + 1),
                incarnationTag: head.incarnationTag)
        }
    }
}
