import PostgresHarness

extension PostgresDatabase {
    /// Every shard's row and events, as of one moment. Blocks.
    func shardRows() throws -> [Int: History.ShardRows] {
        let lines = try self.query(
            """
            SELECT shard_id, head_seq, shard.epoch, seq, event.epoch, encode(dedup_key, 'hex')
            FROM shard LEFT JOIN event USING (shard_id) ORDER BY shard_id, seq
            """)
        var shards: [Int: History.ShardRows] = [:]
        for line in lines {
            let columns = line.split(separator: "|", omittingEmptySubsequences: false)
            let numbers = columns.prefix(5).map { Int($0) }
            guard columns.count == 6, let shard = numbers[0], let head = numbers[1], let epoch = numbers[2] else {
                throw ProcessFailure("not a row of events: \(line)")
            }
            var rows = shards[shard] ?? History.ShardRows(head: head, epoch: epoch)
            if let sequence = numbers[3], let epoch = numbers[4] {
                rows.events.append(History.EventRow(sequence: sequence, epoch: epoch, key: String(columns[5])))
            }
            shards[shard] = rows
        }
        return shards
    }
}
