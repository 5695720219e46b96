import EventLog

/// What a node has of a shard for as long as it owns it.
struct ShardWork {
    /// As the store last had it.
    var log: [SimulatedStore.Entry]
    var operations: Set<Operation>
    var waiting: [Command]
    var inFlight: [Command] = []
    /// To whom it is to go, and who wants to know whether it did.
    var gift: (recipient: ShardRecord.Owner, isGiven: (Bool) -> Void)?

    init(_ claimed: SimulatedStore.Claimed, waiting: [Command]) {
        self.log = claimed.log
        self.operations = Set(claimed.log.map(\.operation))
        self.waiting = waiting
    }

    var head: LogSequence { LogSequence(rawValue: Int64(self.log.count)) }

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

    mutating func add(_ commands: [Command], under epoch: Epoch, by owner: ShardRecord.Owner) {
        self.log += commands.map {
            SimulatedStore.Entry(operation: $0.operation, epoch: epoch, incarnation: owner.incarnation)
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
