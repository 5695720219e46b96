import Histogram
import NIOCore

/// One load from its first connection to its last answer. Used on its event loop only.
final class LoadRun {
    enum Pace {
        /// The next request when the answer is there, until this time has passed.
        case closed(Duration?)
        /// A request each time this much has passed.
        case open(TimeAmount)
    }

    private static let patience = TimeAmount.seconds(30)

    private let requests: [ByteBuffer]
    private let pace: Pace
    private let expectedConnections: Int
    private let result: EventLoopPromise<LoadResult>
    private let loop: any EventLoop

    private var connections: [LoadConnection] = []
    private var idle: [LoadConnection] = []
    private var start = NIODeadline.now()
    private var lastAnswer = NIODeadline.now()
    /// Requests whose moment has come.
    private var due = 0
    private var sent = 0
    private var answered = 0
    private var isOver = false
    private var watch: Scheduled<Void>?
    /// Up to a minute; longer than anything waits here.
    private var latencies = Histogram<UInt32>(highestTrackableValue: 60_000_000)
    private var firstBody: [UInt8] = []

    init(
        requests: [ByteBuffer], pace: Pace, connections: Int, result: EventLoopPromise<LoadResult>,
        on loop: any EventLoop
    ) {
        self.requests = requests
        self.pace = pace
        self.expectedConnections = connections
        self.result = result
        self.loop = loop
    }

    // MARK: Told by connections

    /// The load begins when all are there.
    func connected(_ connection: LoadConnection) {
        guard !self.isOver else { return connection.close() }
        self.connections.append(connection)
        self.idle.append(connection)
        guard self.connections.count == self.expectedConnections else { return }
        self.start = .now()
        self.lastAnswer = self.start
        self.watchForSilence()
        self.advance()
    }

    func answered(_ answer: ResponseReader.Answer, on connection: LoadConnection) {
        guard !self.isOver else { return }
        guard answer.status == 200 else {
            let text = String(decoding: answer.body.prefix(300), as: UTF8.self)
            return self.fail(BenchmarkError("a request was answered with \(answer.status): \(text)"))
        }
        self.lastAnswer = .now()
        let waited = (self.lastAnswer - connection.since).nanoseconds / 1_000
        self.latencies.record(UInt64(max(0, waited)))
        if !answer.body.isEmpty { self.firstBody = answer.body }
        self.answered += 1
        self.idle.append(connection)
        self.sendDue()
        self.endIfDone()
    }

    func fail(_ error: any Error) {
        guard !self.isOver else { return }
        self.end()
        self.result.fail(error)
    }

    // MARK: Pace

    /// In an open load, comes back when the next request is due.
    private func advance() {
        guard !self.isOver else { return }
        if case .open(let interval) = self.pace {
            let passed = (NIODeadline.now() - self.start).nanoseconds
            self.due = min(self.requests.count, Int(passed / interval.nanoseconds) + 1)
            if self.due < self.requests.count {
                let next = self.start + interval * self.due
                self.loop.assumeIsolated().scheduleTask(deadline: next) { self.advance() }
            }
        }
        self.sendDue()
    }

    private func sendDue() {
        while self.isNextDue, let connection = self.idle.popLast() {
            let since =
                switch self.pace {
                case .closed: NIODeadline.now()
                case .open(let interval): self.start + interval * self.sent
                }
            let request = self.requests[self.sent % self.requests.count]
            connection.send(request, since: since, keepsBody: self.sent == 0)
            self.sent += 1
        }
    }

    private var isNextDue: Bool {
        switch self.pace {
        case .open: self.sent < self.due
        case .closed(nil): self.sent < self.requests.count
        case .closed(let duration?): .now() - self.start < TimeAmount(duration)
        }
    }

    private var isComplete: Bool {
        switch self.pace {
        case .open: self.answered == self.requests.count
        case .closed: self.answered == self.sent && !self.isNextDue
        }
    }

    // MARK: The end

    private func endIfDone() {
        guard self.isComplete else { return }
        self.end()
        let took = Duration.nanoseconds((self.lastAnswer - self.start).nanoseconds)
        self.result.succeed(
            LoadResult(answered: self.answered, took: took, latencies: self.latencies, firstBody: self.firstBody))
    }

    private func end() {
        self.isOver = true
        self.watch?.cancel()
        for connection in self.connections { connection.close() }
    }

    private func watchForSilence() {
        self.watch = self.loop.assumeIsolated().scheduleTask(in: .seconds(1)) {
            guard self.sent > self.answered, .now() - self.lastAnswer > Self.patience else {
                return self.watchForSilence()
            }
            self.fail(BenchmarkError("the server has not answered for half a minute"))
        }
    }
}
