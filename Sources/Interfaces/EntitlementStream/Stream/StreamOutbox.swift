import EventLog
import Synchronization
import WireProtocol

/// What waits for the thread that sends. Whoever puts something in never waits.
final class StreamOutbox: Sendable {
    /// The deltas of one commit.
    struct Changes: Sendable {
        var shard: ShardID
        var deltas: [StreamDelta]
    }

    struct Answer: Sendable {
        /// Of the ROUTER's connection.
        var identity: [UInt8]
        var bytes: [UInt8]
    }

    private struct State {
        var changes: [Changes] = []
        var deltaCount = 0
        var answers: [Answer] = []
        var isClosed = false
    }

    private let limit: Int
    private let state = Mutex(State())

    /// - Parameter limit: in deltas. Answers are taken at each turn, and bounded there.
    init(limit: Int) { self.limit = limit }

    /// - Returns: how many did not fit and are dropped: subscribers notice.
    func put(_ changes: Changes) -> Int {
        self.state.withLock { state in
            guard !state.isClosed else { return 0 }
            guard state.deltaCount + changes.deltas.count <= self.limit else { return changes.deltas.count }
            state.changes.append(changes)
            state.deltaCount += changes.deltas.count
            return 0
        }
    }

    func put(_ answer: Answer) { self.state.withLock { $0.answers.append(answer) } }

    func takeChanges() -> [Changes] {
        self.state.withLock { state in
            defer { (state.changes, state.deltaCount) = ([], 0) }
            return state.changes
        }
    }

    func takeAnswers() -> [Answer] {
        self.state.withLock { state in
            defer { state.answers = [] }
            return state.answers
        }
    }

    /// Nobody sends any more.
    func close() {
        self.state.withLock { $0 = State(isClosed: true) }
    }

    var isClosed: Bool { self.state.withLock(\.isClosed) }
}
