package import Customers
import EventLog
package import Subscriptions

/// Where customers have moved, of a store in which none has registered an identifier.
package struct CustomerMoves: IdentifierRows, Sendable {
    private var targets: [IdentifierHash: (hash: IdentifierHash, id: CustomerID)] = [:]

    package init() {}

    package mutating func note(_ customer: IdentifierHash, movedTo target: IdentifierHash, _ id: CustomerID) {
        self.targets[customer] = (target, id)
    }

    /// Whose everything of a customer is; nil where it has not been moved.
    package func end(of customer: IdentifierHash) -> CustomerID? {
        var end: CustomerID?
        var next = customer
        for _ in 0..<Resolution.moveLimit {
            guard let target = self.targets[next] else { return end }
            (next, end) = (target.hash, target.id)
        }
        return end
    }

    package func holder(ofToken token: IdentifierHash) -> IdentifierHash? { nil }
    package func holder(ofAppTransaction id: IdentifierHash) -> IdentifierHash? { nil }
    package func successor(of customer: IdentifierHash) -> IdentifierHash? { self.targets[customer]?.hash }
    package func leads(of predecessor: OriginalTransactionID) -> LeadImage? { nil }
}

extension LoadQueue {
    /// Where these customers have moved, to the ends.
    func moves(of customers: Set<IdentifierHash>, by judge: LinkJudge) async throws -> CustomerMoves {
        var moves = CustomerMoves()
        var (known, next): (Set<IdentifierHash>, Set<IdentifierHash>) = ([], customers)
        while !next.isEmpty {
            known.formUnion(next)
            let customers = Dictionary(next.map { (StreamKey(customer: $0), $0) }) { first, _ in first }
            next = []
            for (shard, row) in try await self.rows(of: Array(customers.keys)) {
                guard let key = StreamKey(bytes: row.key), let customer = customers[key],
                    let target = try await self.customer(row, in: shard)?.movedTo
                else { continue }
                let hash = judge.hash(target)
                moves.note(customer, movedTo: hash, target)
                if !known.contains(hash) { next.insert(hash) }
            }
        }
        return moves
    }
}
