import Mirroring

extension PerennialClient {
    /// The changes of all subscriptions, each at least once, those of one subscription in their order. One reader reads it once, and
    /// may take his time: what waits for him is bounded, and what does not fit is asked for later. It ends when its reader is
    /// cancelled. Two tasks that read it at a time are a mistake, which ends the process.
    ///
    /// A change that this version of the library cannot read, since a newer node has written it, is not passed over: the
    /// logger gets an error every few seconds, no more is told of its shard, and `position` stays before it. A newer version
    /// of the library goes on there.
    public struct Changes: AsyncSequence, Sendable {
        let reading: ChangeReading

        /// Where to go on after the changes that have been read; nil for some moments at the start.
        public var position: ChangePosition? { self.reading.buffer.position }

        public func makeAsyncIterator() -> Iterator { Iterator(reading: self.reading) }

        public struct Iterator: AsyncIteratorProtocol {
            let reading: ChangeReading

            public mutating func next() async -> ChangeEvent? { await self.reading.buffer.next() }
        }
    }
}

/// Ends it all when nobody can read it any more.
final class ChangeReading: Sendable {
    let buffer: ChangeBuffer
    private let follower: Follower

    init(_ buffer: ChangeBuffer, _ follower: Follower) {
        self.buffer = buffer
        self.follower = follower
    }

    deinit {
        self.follower.stop()
        self.buffer.close()
    }
}
