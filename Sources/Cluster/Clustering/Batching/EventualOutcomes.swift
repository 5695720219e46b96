import Synchronization
import WireProtocol

/// The outcomes of a batch of commands, each put in when it is known; complete when all are.
package final class EventualOutcomes: EventualResult {
    private struct State {
        var outcomes: [[UInt8]?]
        var missing: Int
        var whenComplete: [@Sendable (EventualOutcomes) -> Void] = []
    }

    private let state: Mutex<State>

    package init(count: Int) {
        self.state = Mutex(State(outcomes: Array(repeating: nil, count: count), missing: count))
    }

    /// - Precondition: the place has no outcome yet.
    package func put(_ outcome: [UInt8], at place: Int) {
        let bodies = self.state.withLock { state -> [@Sendable (EventualOutcomes) -> Void] in
            precondition(state.outcomes[place] == nil, "a command is answered once")
            state.outcomes[place] = outcome
            state.missing -= 1
            guard state.missing == 0 else { return [] }
            defer { state.whenComplete = [] }
            return state.whenComplete
        }
        for body in bodies { body(self) }
    }

    package func whenComplete(_ body: @escaping @Sendable (EventualOutcomes) -> Void) {
        let isComplete = self.state.withLock { state in
            if state.missing > 0 { state.whenComplete.append(body) }
            return state.missing == 0
        }
        if isComplete { body(self) }
    }

    /// In the order of the commands, once there are all.
    package func all() async -> [[UInt8]] {
        // As they are when they come from another node.
        if self.isComplete { return self.known }
        await withCheckedContinuation { waiter in self.whenComplete { _ in waiter.resume() } }
        return self.known
    }

    private var isComplete: Bool { self.state.withLock { $0.missing == 0 } }

    private var known: [[UInt8]] { self.state.withLock { state in state.outcomes.compactMap { $0 } } }

    // MARK: Crossing

    package convenience init(wireBytes: [UInt8]) throws {
        self.init(complete: try CommandBatch(wireBytes: wireBytes).items)
    }

    package init(complete outcomes: [[UInt8]]) { self.state = Mutex(State(outcomes: outcomes, missing: 0)) }

    /// - Precondition: it is complete.
    package func wireBytes() -> [UInt8] { CommandBatch(self.known).wireBytes() }
}
