package import EventLog

extension PostgresEventStore {
    /// How often an append that collided with another transaction is tried, the first time included.
    private static let attempts = 3

    /// Blocks. An append whose answer does not come is `.outcomeUnknown`, and is never repeated here; so is one of a
    /// shard that was not claimed since a session was lost, of which nothing was sent. Claiming the shards tells both
    /// apart.
    package func append(_ batches: [ShardBatch]) throws(StoreError) -> [AppendOutcome] {
        guard !batches.isEmpty else { return [] }
        let ordered = batches.sorted { $0.shard < $1.shard }
        let places = try ShardBatch.check(ordered, shardCount: self.identity.shardCount)
        let taken = try self.writers.use { session throws(StoreError) in
            let losses = self.lost.count
            guard self.lost.areKnown(ordered.map(\.shard)) else {
                throw StoreError(
                    .outcomeUnknown, "the connection to the database was lost: the shards have to be claimed again")
            }
            return try self.append(ordered, places: places, in: &session, after: losses)
        }
        return batches.map { batch in
            guard taken.contains(batch.shard) else { return .fenced }
            return .appended(head: LogSequence(rawValue: batch.head.rawValue + Int64(batch.events.count)))
        }
    }

    private func append(
        _ batches: [ShardBatch], places: [[[UInt8]: Int]], in session: inout Session, after losses: Int
    ) throws(StoreError) -> Set<ShardID> {
        let headers: HeaderNumbers.Numbers
        do throws(StatementFailure) {
            headers = try self.headers.numbers(for: batches, in: &session, after: losses)
        } catch {
            // Header segments may be stored twice over.
            throw StoreError(error, unknown: .unavailable)
        }
        let sends = batches.contains { !$0.outbox.isEmpty }
        let statement = AppendStatement.statement(self.configuration.guards, sends: sends)
        let parameters = AppendStatement.parameters(batches, places: places, headers: headers, sends: sends)
        var attempt = 1
        while true {
            do throws(StatementFailure) {
                let result = try session.run(statement, parameters, refusesWarnings: true)
                return Set(try result.rows { row throws(StoreError) in try row.shard(0) })
            } catch {
                guard error.fate == .collided, attempt < Self.attempts else {
                    throw StoreError(error, unknown: .outcomeUnknown)
                }
                attempt += 1
            }
        }
    }
}
