import Synchronization

/// Lets a bounded number of requests be under way: urgent ones first, and those of one urgency in the order in which
/// they came.
package final class RequestPlaces: Sendable {
    private struct State {
        var machine: PlacesMachine
        var waiting: [PlacesMachine.Request: CheckedContinuation<Bool, Never>] = [:]
        var last: PlacesMachine.Request = 0
    }

    private let state: Mutex<State>

    package init(limit: Int) { self.state = Mutex(State(machine: PlacesMachine(limit: limit))) }

    /// When it returns, `leave()` is due.
    /// - Throws: when the task is cancelled meanwhile.
    package func enter(_ urgency: RequestUrgency) async throws(CancellationError) {
        let request = self.state.withLock { state in
            state.last += 1
            return state.last
        }
        let hasPlace = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer = self.state.withLock { state -> Bool? in
                    // Cancelled before it could be waited for.
                    guard !Task.isCancelled else { return false }
                    guard !state.machine.enter(request, urgency) else { return true }
                    state.waiting[request] = continuation
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            let waiting = self.state.withLock { state in
                state.machine.giveUp(request)
                return state.waiting.removeValue(forKey: request)
            }
            waiting?.resume(returning: false)
        }
        guard hasPlace else { throw CancellationError() }
    }

    package func leave() {
        let next = self.state.withLock { state in
            state.machine.leave().flatMap { state.waiting.removeValue(forKey: $0) }
        }
        next?.resume(returning: true)
    }
}

/// Decides who is next.
package struct PlacesMachine: Sendable {
    package typealias Request = UInt64

    private var free: Int
    private var urgent: [Request] = []
    private var sweep: [Request] = []

    package init(limit: Int) { self.free = limit }

    /// Whether there is a place at once; otherwise the request waits.
    package mutating func enter(_ request: Request, _ urgency: RequestUrgency) -> Bool {
        guard self.free == 0 else {
            self.free -= 1
            return true
        }
        switch urgency {
        case .urgent: self.urgent.append(request)
        case .sweep: self.sweep.append(request)
        }
        return false
    }

    /// A place becomes free: for whom?
    package mutating func leave() -> Request? {
        if !self.urgent.isEmpty { return self.urgent.removeFirst() }
        if !self.sweep.isEmpty { return self.sweep.removeFirst() }
        self.free += 1
        return nil
    }

    package mutating func giveUp(_ request: Request) {
        self.urgent.removeAll { $0 == request }
        self.sweep.removeAll { $0 == request }
    }
}
