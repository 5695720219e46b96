import AppStore
import Synchronization

/// An App Store of the test's own: keeps what it was asked, and answers by a function.
final class ScriptedTransport: ServerAPITransport {
    typealias Respond = @Sendable (ServerAPIRequest, Int) -> Result<ServerAPIAnswer, ServerAPIError>

    private let state = Mutex<[ServerAPIRequest]>([])
    private let respond: Respond

    /// - Parameter respond: the request, and how many came before it.
    init(_ respond: @escaping Respond) { self.respond = respond }

    /// Answers in order, and with the last one from then on.
    convenience init(_ answers: [ServerAPIAnswer]) {
        self.init { _, index in .success(answers[min(index, answers.count - 1)]) }
    }

    convenience init(json: String) { self.init([.json(json)]) }

    var requests: [ServerAPIRequest] { self.state.withLock { $0 } }

    func send(_ request: ServerAPIRequest, timeout: Duration) async throws(ServerAPIError) -> ServerAPIAnswer {
        let index = self.state.withLock { requests in
            requests.append(request)
            return requests.count - 1
        }
        return try self.respond(request, index).get()
    }
}

/// Answers nothing until it is told to, or its task is cancelled.
final class SilentTransport: ServerAPITransport {
    private struct State {
        var underWay = 0
        var mostUnderWay = 0
        var asked: [String] = []
        var isOpen = false
    }

    private let state = Mutex(State())

    var underWay: Int { self.state.withLock { $0.underWay } }
    var mostUnderWay: Int { self.state.withLock { $0.mostUnderWay } }
    /// The paths, as they came.
    var asked: [String] { self.state.withLock { $0.asked } }

    func open() { self.state.withLock { $0.isOpen = true } }

    func send(_ request: ServerAPIRequest, timeout: Duration) async throws(ServerAPIError) -> ServerAPIAnswer {
        self.state.withLock { state in
            state.underWay += 1
            state.mostUnderWay = max(state.mostUnderWay, state.underWay)
            state.asked.append(request.path)
        }
        defer { self.state.withLock { $0.underWay -= 1 } }
        while !self.state.withLock({ $0.isOpen }) {
            guard !Task.isCancelled else { throw ServerAPIError(.cancelled, "cancelled") }
            try? await Task.sleep(for: .milliseconds(1))
        }
        return .json(#"{"testNotificationToken":"t"}"#)
    }
}

extension ServerAPIAnswer {
    static func json(_ text: String, status: Int = 200, retryAfter: String? = nil) -> ServerAPIAnswer {
        ServerAPIAnswer(status: status, retryAfter: retryAfter, body: Array(text.utf8))
    }

    static func error(_ code: Int64, status: Int? = nil, retryAfter: String? = nil) -> ServerAPIAnswer {
        .json(
            #"{"errorCode":\#(code),"errorMessage":"Apple says \#(code)."}"#, status: status ?? Int(code / 10_000),
            retryAfter: retryAfter)
    }
}
