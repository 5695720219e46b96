import DequeModule
import Synchronization
import Waiting

/// What a shard's writer has been told and has not applied yet, in order. Unlike an `AsyncStream` it does not end
/// when the listener's task is cancelled: commits that are under way still have to be settled.
final class WriterMailbox: Sendable {
    private struct State {
        var events: Deque<WriterEvent> = []
        var isClosed = false
    }

    private let state = Mutex(State())
    private let wake = AsyncEvent()

    func put(_ event: WriterEvent) {
        self.state.withLock { $0.events.append(event) }
        self.wake.signal()
    }

    /// Nothing more comes.
    func close() {
        self.state.withLock { $0.isClosed = true }
        self.wake.signal()
    }

    /// nil once the mailbox is closed and empty.
    func next() async -> WriterEvent? {
        while true {
            let (event, isClosed) = self.state.withLock { ($0.events.popFirst(), $0.isClosed) }
            if let event { return event }
            if isClosed { return nil }
            await self.wake.wait()
        }
    }
}
