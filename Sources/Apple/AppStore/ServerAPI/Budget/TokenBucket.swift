package import Waiting

/// The budget of one endpoint. Decides who may send next, from the times it is told; holds no task.
///
/// Tokens come at an even rate. A quarter of them is kept for urgent requests and a quarter for sweeps, so that neither
/// ever takes everything from the other; the rest goes to whoever asks, urgent requests first. What does not fit into a
/// full quarter goes to the rest, and from there to the other quarter: nothing is lost while anybody could use it.
/// Inside each urgency it is first come, first served.
package struct TokenBucket: Sendable {
    package typealias Ticket = UInt64

    package enum Turn: Hashable, Sendable {
        /// One token is taken: send.
        case granted
        /// Ask again after this time.
        case wait(Duration)
    }

    private struct Waiting {
        var urgent: [Ticket] = []
        var sweep: [Ticket] = []
    }

    /// What a burst may take at once: two seconds' worth, and at least enough for one token in each part.
    private static let burst = Duration.seconds(2)
    private static let minimumCapacity = 4.0
    private static let shortestWait = Duration.milliseconds(5)

    private var rate: Double
    private var urgent: Double
    private var sweep: Double
    private var common: Double
    private var filled: Duration
    private var waiting = Waiting()
    /// Given out and not fetched yet.
    private var granted: Set<Ticket> = []

    /// - Parameter rate: tokens per second.
    package init(rate: Double, at now: Duration) {
        self.rate = rate
        let capacity = Self.capacity(rate)
        (self.urgent, self.sweep, self.common) = (capacity / 4, capacity / 4, capacity / 2)
        self.filled = now
    }

    private static func capacity(_ rate: Double) -> Double {
        max(Self.minimumCapacity, rate * (Self.burst / .seconds(1)))
    }

    // MARK: What can happen

    package mutating func setRate(_ rate: Double, at now: Duration) {
        self.fill(until: now)
        self.rate = rate
        self.clip()
    }

    /// A request arrives, behind those of its urgency.
    package mutating func join(_ ticket: Ticket, _ urgency: RequestUrgency, at now: Duration) -> Turn {
        switch urgency {
        case .urgent: self.waiting.urgent.append(ticket)
        case .sweep: self.waiting.sweep.append(ticket)
        }
        return self.ask(ticket, at: now)
    }

    /// A request that has waited asks again.
    package mutating func ask(_ ticket: Ticket, at now: Duration) -> Turn {
        self.fill(until: now)
        // Closed while the next token is to come from the future.
        if self.filled <= now { self.grant() }
        guard self.granted.remove(ticket) == nil else { return .granted }
        return .wait(self.wait(of: ticket, at: now))
    }

    /// A request waits no longer. A token that it had been given is there for the next one that asks.
    package mutating func leave(_ ticket: Ticket) {
        self.waiting.urgent.removeAll { $0 == ticket }
        self.waiting.sweep.removeAll { $0 == ticket }
        guard self.granted.remove(ticket) != nil else { return }
        self.common += 1
        self.clip()
    }

    /// Nothing goes out before `end`, and then no burst.
    package mutating func close(until end: Duration, at now: Duration) {
        self.fill(until: now)
        (self.urgent, self.sweep, self.common) = (0, 0, 0)
        self.filled = max(self.filled, end)
    }

    package mutating func remaining(at now: Duration) -> Double {
        self.fill(until: now)
        return self.urgent + self.sweep + self.common
    }

    // MARK: Tokens

    private mutating func fill(until now: Duration) {
        guard now > self.filled else { return }
        let tokens = self.rate * ((now - self.filled) / .seconds(1))
        self.filled = now
        self.urgent += tokens / 4
        self.sweep += tokens / 4
        self.common += tokens / 2
        self.clip()
    }

    private mutating func clip() {
        let capacity = Self.capacity(self.rate)
        self.common += max(0, self.urgent - capacity / 4) + max(0, self.sweep - capacity / 4)
        self.urgent = min(self.urgent, capacity / 4)
        self.sweep = min(self.sweep, capacity / 4)
        let surplus = max(0, self.common - capacity / 2)
        self.common -= surplus
        let missing = capacity / 4 - self.urgent
        self.urgent += min(missing, surplus)
        self.sweep = min(capacity / 4, self.sweep + max(0, surplus - missing))
    }

    private mutating func grant() {
        while let ticket = self.waiting.urgent.first, Self.takeOne(&self.urgent, &self.common) {
            self.granted.insert(ticket)
            self.waiting.urgent.removeFirst()
        }
        while let ticket = self.waiting.sweep.first {
            // While urgent requests wait, what is common is theirs.
            var nothing = 0.0
            let isTaken =
                self.waiting.urgent.isEmpty
                ? Self.takeOne(&self.sweep, &self.common) : Self.takeOne(&self.sweep, &nothing)
            guard isTaken else { return }
            self.granted.insert(ticket)
            self.waiting.sweep.removeFirst()
        }
    }

    /// One token from a part of one's own, and what is missing there from what is common.
    private static func takeOne(_ own: inout Double, _ common: inout Double) -> Bool {
        // Sums of fractions come out a little below.
        guard own + common >= 1 - 1e-9 else { return false }
        let taken = min(own, 1)
        own -= taken
        common = max(0, common - (1 - taken))
        return true
    }

    /// The earliest moment at which it could be its turn; others may come in between.
    private func wait(of ticket: Ticket, at now: Duration) -> Duration {
        let ahead: Int
        let tokens: Double
        if let index = self.waiting.urgent.firstIndex(of: ticket) {
            (ahead, tokens) = (index, self.urgent + self.common)
        } else {
            let index = self.waiting.sweep.firstIndex(of: ticket) ?? 0
            (ahead, tokens) = (index, self.sweep + (self.waiting.urgent.isEmpty ? self.common : 0))
        }
        let isClosed = max(.zero, self.filled - now)
        let missing = max(0, Double(ahead + 1) - tokens)
        return max(Self.shortestWait, isClosed + .seconds(1) * (missing / self.rate))
    }
}
