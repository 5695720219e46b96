import ZeroMQ

/// Answers that a socket has not taken yet, of each connection in their order: a socket takes a few for each at a time, and
/// what it takes no more of is sent later instead of getting lost.
struct WaitingAnswers {
    private let limit: Int
    /// By connection; never empty.
    private var answers: [[UInt8]: [StreamOutbox.Answer]] = [:]

    /// - Parameter limit: of one connection.
    init(limit: Int) { self.limit = limit }

    var isEmpty: Bool { self.answers.isEmpty }

    func count(for identity: [UInt8]) -> Int { self.answers[identity]?.count ?? 0 }

    /// - Returns: false for what is beyond the limit, which nobody gets.
    mutating func add(_ answer: StreamOutbox.Answer) -> Bool {
        guard self.count(for: answer.identity) < self.limit else { return false }
        self.answers[answer.identity, default: []].append(answer)
        return true
    }

    /// Sends as many as are taken, and lets go of those of connections that are not there any more.
    /// - Parameter socket: a mandatory router.
    /// - Returns: whether any was sent.
    mutating func send(over socket: borrowing Socket) throws(ZeroMQError) -> Bool {
        var hasSent = false
        for (identity, waiting) in self.answers {
            var rest = waiting[...]
            sending: while let answer = rest.first {
                switch try socket.send(identity, more: true) {
                case .sent:
                    _ = try socket.send(answer.bytes)
                    rest.removeFirst()
                    hasSent = true
                case .full: break sending
                case .unroutable: rest = []
                }
            }
            guard rest.count < waiting.count else { continue }
            self.answers[identity] = rest.isEmpty ? nil : Array(rest)
        }
        return hasSent
    }
}
