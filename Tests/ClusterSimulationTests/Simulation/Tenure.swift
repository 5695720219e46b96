import EventSourcing

/// A shard for as long as a node owns it.
struct Tenure {
    var epoch: Epoch
    /// As the store last had it.
    var log: [SimulatedStore.Entry]
    /// From then on, by the node's clock, nobody before it answers any more.
    var soleFrom: Duration
    /// The store has to be read before anything goes on.
    var isFrozen = false
    /// To whom it is to go.
    var recipient: ShardRecord.Owner?
    /// Who wants to know whether it went there.
    var isGiven: (Bool) -> Void = { _ in }
    var waiting: [Command] = []
    var inFlight: [Command] = []

    var operations: Set<Operation>

    init(_ claimed: SimulatedStore.Claimed, soleFrom: Duration) {
        self.epoch = claimed.epoch
        self.log = claimed.log
        self.operations = Set(claimed.log.map(\.operation))
        self.soleFrom = soleFrom
    }

    var head: EventSourcing.Sequence { Sequence(rawValue: Int64(self.log.count)) }

    /// Of what waits, as much as one append takes, each command once.
    mutating func beginBatch() {
        var later: [Command] = []
        for command in self.waiting {
            if self.inFlight.count < 4, !self.inFlight.contains(where: { $0.operation == command.operation }) {
                self.inFlight.append(command)
            } else {
                later.append(command)
            }
        }
        self.waiting = later
    }

    mutating func add(_ commands: [Command], by owner: ShardRecord.Owner) {
        self.log += commands.map {
            SimulatedStore.Entry(operation: $0.operation, epoch: self.epoch, incarnation: owner.incarnation)
        }
        self.operations.formUnion(commands.map(\.operation))
    }
}

struct Command {
    enum Outcome {
        /// The store has said that it has it, after so many rewinds.
        case recorded(rewinds: Int)
        case notOwner, failed
    }

    var operation: Operation
    /// Its acknowledgement says that reads see it from then on.
    var isWrite = false
    /// It was kept in the inbox.
    var isKept = false
    var answer: (Outcome) -> Void
}

/// A place in a log, and who wrote it.
struct Token: Hashable {
    var length: Int
    var incarnation: Incarnation?

    init(_ log: some BidirectionalCollection<SimulatedStore.Entry>) {
        self.length = log.count
        self.incarnation = log.last?.incarnation
    }
}

/// What a read shows: a log as far as its owner knew it.
struct Answer {
    var log: [SimulatedStore.Entry]

    /// What the client may ask for again.
    var token: Token { Token(self.log) }

    /// As far as both go, they show the same events in the same order.
    func agrees(with other: Answer) -> Bool {
        zip(self.log, other.log).allSatisfy { $0.operation == $1.operation }
    }
}
