import AppStore
import Synchronization

/// Takes questions and gives no answer: holds them until told to give up, and refuses those that come later.
final class SilentResponder: OCSPTransport {
    private struct State {
        var questions = 0
        var hasGivenUp = false
        var held: [CheckedContinuation<Void, Never>] = []
    }

    struct NoAnswer: Error {}

    private let state = Mutex(State())

    var questions: Int { self.state.withLock { $0.questions } }

    func post(_ request: [UInt8], to url: String) async throws -> [UInt8] {
        await withCheckedContinuation { continuation in
            let isOver = self.state.withLock { state in
                state.questions += 1
                if !state.hasGivenUp { state.held.append(continuation) }
                return state.hasGivenUp
            }
            if isOver { continuation.resume() }
        }
        throw NoAnswer()
    }

    func giveUp() {
        let held = self.state.withLock { state in
            state.hasGivenUp = true
            defer { state.held = [] }
            return state.held
        }
        for continuation in held { continuation.resume() }
    }
}
