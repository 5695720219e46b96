/// Shards for people.
package struct ShardTable {
    private let rows: [JSONFragment]

    /// - Parameter rows: as `GET /v1/shards` has them.
    package init(_ rows: [JSONFragment]) { self.rows = rows }

    package var lines: [String] {
        var table = TextTable(["SHARD", "OWNER", "EPOCH", "HEAD"])
        for row in self.rows {
            // Whom nobody answers for has to stand out among hundreds.
            let isServed = row["ownerLives"]?.plain == "true"
            let owner = row["owner"]?.plain.map { isServed ? $0 : "\($0) (gone)" }
            table.add([row["shard"]?.plain, owner, row["epoch"]?.plain, row["head"]?.plain].map { $0 ?? "-" })
        }
        return table.lines
    }
}
