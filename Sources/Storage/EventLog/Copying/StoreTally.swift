/// What two copies of a store are held against each other by: the length of each table, and of each shard its epoch,
/// owner and head with how many events and streams there really are.
///
/// A node that has run on one of them has raised the epochs of its shards there: the two are then not alike any more, even
/// when nothing was appended.
package struct StoreTally: Hashable, Sendable {
    /// The rows of the answers to `questions`, all of them numbers.
    private let answers: [[[Int64]]]

    /// In the SQL that SQLite and PostgreSQL share.
    package static let questions =
        [
            "SELECT \(StoreTable.all.map { "(SELECT count(*) FROM \($0.name))" }.joined(separator: ", "))",
            "SELECT shard_id, epoch, coalesce(owner_incarnation, 0), head_seq FROM shard ORDER BY shard_id",
            """
            SELECT shard_id, count(*), max(epoch), max(first_seq), min(incarnation), max(incarnation)
            FROM shard_epoch GROUP BY shard_id ORDER BY shard_id
            """,
            "SELECT shard_id, count(*), max(seq) FROM event GROUP BY shard_id ORDER BY shard_id",
            "SELECT shard_id, count(*), max(seq) FROM stream GROUP BY shard_id ORDER BY shard_id",
        ]

    package init(answers: [[[Int64]]]) { self.answers = answers }

    /// Of all tables.
    package var rows: Int { (self.answers.first?.first ?? []).reduce(0) { $0 + Int($1) } }

    package func rows(of name: String) -> Int {
        let place = StoreTable.all.firstIndex { $0.name == name }
        guard let place, let counts = self.answers.first?.first, counts.indices.contains(place) else { return 0 }
        return Int(counts[place])
    }
}
