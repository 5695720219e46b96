import NIOCore

/// What a connection is waiting for, and so how long it may take. Pure: the channel handler asks it and acts.
struct ConnectionPhase {
    enum Phase: Hashable {
        /// No request yet, perhaps not even a TLS session.
        case starting
        /// A request is arriving.
        case reading
        /// We are busy: the client cannot be late.
        case working
        /// The client has to take our answer.
        case answering
        /// Between two requests.
        case idle
        /// We said our last word, and let the client finish what it was sending: a reset would destroy the answer.
        case lingering
    }

    private(set) var phase = Phase.starting
    private(set) var isClosing = false
    private var isReading = false
    private var answersDue = 0
    private var isAnswering = false

    /// Nothing was asked that has not been answered.
    var isQuiet: Bool { !self.isReading && self.answersDue == 0 }

    /// The request that is answered now, or next, is the one that is still arriving.
    var isAnsweringWhatItReads: Bool { self.isReading && self.answersDue == 1 }

    mutating func requestBegan() {
        self.isReading = true
        self.answersDue += 1
        self.update()
    }

    mutating func requestEnded() {
        self.isReading = false
        self.update()
    }

    /// - Parameter isLast: the answer says that the connection ends with it.
    mutating func answerBegan(isLast: Bool) {
        self.isAnswering = true
        self.isClosing = self.isClosing || isLast
        self.update()
    }

    /// The answer has left.
    mutating func answerEnded() {
        self.isAnswering = false
        self.answersDue = max(0, self.answersDue - 1)
        self.update()
    }

    func timeout(_ limits: Configuration.Limits) -> TimeAmount? {
        switch self.phase {
        case .starting: limits.headTimeout
        case .reading: limits.bodyTimeout
        case .working: nil
        case .answering: limits.answerTimeout
        case .idle: limits.idleTimeout
        case .lingering: .seconds(2)
        }
    }

    private mutating func update() {
        if self.isAnswering {
            self.phase = .answering
        } else if self.isClosing {
            self.phase = .lingering
        } else if self.isReading {
            self.phase = .reading
        } else {
            self.phase = self.answersDue > 0 ? .working : .idle
        }
    }
}
