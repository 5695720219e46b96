import EventLog

extension SimulatedCluster {
    func call() {
        guard self.now < self.configuration.length else { return }
        let shard = ShardID(rawValue: UInt16.random(in: 0..<UInt16(self.configuration.shards), using: &self.random))
        let node = self.nodes.randomElement(using: &self.random)!
        let isQuestion = self.isQuiet && self.random.chance(0.95)
        switch Int.random(in: isQuestion ? 7..<10 : 0..<10, using: &self.random) {
        case 0..<4: self.notify(self.history.newOperation(on: shard), shard, through: node, attempts: 6)
        case 4: self.notify(self.history.anyOperation(&self.random), through: node)
        case 5..<7: self.write(self.history.newOperation(on: shard), shard, through: node)
        case 7..<9: self.readOwner(shard, through: node)
        default: self.readAtLeast(shard, through: node)
        }
        self.after(self.random.duration(5...60)) { self.call() }
    }

    /// A repetition of an earlier one.
    func notify(_ earlier: (operation: Operation, shard: ShardID)?, through node: SimulatedNode) {
        guard let earlier else { return }
        self.notify(earlier.operation, earlier.shard, through: node, attempts: 3)
    }

    /// A notification, which the sender repeats until it is acknowledged or he has had enough.
    func notify(_ operation: Operation, _ shard: ShardID, through node: SimulatedNode, attempts: Int) {
        guard attempts > 0 else { return }
        var isAcknowledged = false
        self.after(.seconds(3)) {
            guard !isAcknowledged, let other = self.nodes.randomElement(using: &self.random) else { return }
            self.notify(operation, shard, through: other, attempts: attempts - 1)
        }
        guard node.isRunning else { return }
        node.deliver(to: node.currentLife) {
            let intoInbox = {
                self.request(from: node) {
                    $0.keep(operation, for: shard)
                } reply: { reply in
                    let rewinds: Int
                    switch reply {
                    case .done(let count): rewinds = count
                    case .unknown where !self.guards.keptBeforeAnswered: rewinds = self.store.rewinds
                    case .refused, .unknown: return
                    }
                    isAcknowledged = true
                    self.history.acknowledge(operation, storedAfter: rewinds)
                }
            }
            self.toOwner(of: shard, through: node) { (owner, answer: @escaping (Command.Outcome) -> Void) in
                owner.take(Command(operation: operation, answer: answer), for: shard)
            } reply: { outcome in
                guard case .recorded(let rewinds) = outcome else { return intoInbox() }
                isAcknowledged = true
                self.history.acknowledge(operation, storedAfter: rewinds)
            } failure: {
                intoInbox()
            }
        }
    }

    /// Made once; what is acknowledged is seen by every owner's answer from then on.
    func write(_ operation: Operation, _ shard: ShardID, through node: SimulatedNode) {
        guard node.isRunning else { return }
        node.deliver(to: node.currentLife) {
            self.toOwner(of: shard, through: node) { (owner, answer: @escaping (Command.Outcome) -> Void) in
                owner.take(Command(operation: operation, isWrite: true, answer: answer), for: shard)
            } reply: { outcome in
                guard case .recorded(let rewinds) = outcome else { return }
                self.history.acknowledge(operation, storedAfter: rewinds)
                self.history.write(operation, isSeenIn: shard, self.store.log(of: shard))
            } failure: {
            }
        }
    }

    func readOwner(_ shard: ShardID, through node: SimulatedNode) {
        guard node.isRunning else { return }
        node.deliver(to: node.currentLife) {
            let floor = self.history.floor(of: shard)
            self.toOwner(of: shard, through: node) { owner, answer in
                owner.read(shard, answer: answer)
            } reply: { (given: Answer?) in
                if let given { self.history.read(shard, given, floor: floor) }
            } failure: {
            }
        }
    }

    func readAtLeast(_ shard: ShardID, through node: SimulatedNode) {
        guard node.isRunning, let earlier = self.history.lastAnswer(of: shard) else { return }
        node.deliver(to: node.currentLife) {
            self.toOwner(of: shard, through: node) { owner, answer in
                owner.read(shard, atLeast: earlier.token, answer: answer)
            } reply: { (given: Answer?) in
                if let given { self.history.read(given, atLeast: earlier) }
            } failure: {
            }
        }
    }
}
