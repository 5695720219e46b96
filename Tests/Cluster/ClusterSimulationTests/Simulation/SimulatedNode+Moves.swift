import EventLog

extension SimulatedNode {
    /// Waits for the next reading.
    func ask(_ move: AskedMove) { self.moves.append(move) }

    /// As the reading has it: those that were wanted before it.
    func makeMoves(atMost limit: Int) {
        let moves = self.moves.prefix(limit)
        self.moves.removeFirst(moves.count)
        for move in moves { self.make(move) }
    }

    /// Nobody waits for a store that is away.
    func refuseMoves() {
        let moves = self.moves
        self.moves = []
        for move in moves { move.answer(.refused) }
    }

    private func make(_ move: AskedMove) {
        guard let next = self.view.living.first(where: { $0.node == move.target }) else { return move.answer(.refused) }
        if next == self.owner {
            let isHere = self.view.shards[Int(move.shard.rawValue)].owner == next
            return move.answer(isHere ? .made : .notOwner)
        }
        self.give(move.shard, to: next) { isGiven in move.answer(isGiven ? .made : .notOwner) }
    }
}
