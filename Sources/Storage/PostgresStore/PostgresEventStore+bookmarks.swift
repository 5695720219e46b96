package import EventLog

extension PostgresEventStore {
    package func bookmarks(_ names: [String]) async throws(StoreError) -> [String: [UInt8]] {
        guard !names.isEmpty else { return [:] }
        var parameters = Parameters()
        parameters.add(blobs: names.map { Array($0.utf8) })
        let found = try await self.rows(Self.find, parameters) { row throws(StoreError) in
            (String(decoding: try row.bytes(0), as: UTF8.self), try row.bytes(1))
        }
        return Dictionary(found, uniquingKeysWith: { first, _ in first })
    }

    private static let find = PreparedStatement(
        "bookmarks", "SELECT name, value FROM bookmark WHERE name = ANY ($1::bytea[]) AND value <> ''")

    package func bookmarks(
        startingWith prefix: String, after name: String?, limit: Int
    ) async throws(StoreError) -> [Bookmark] {
        var parameters = Parameters()
        parameters.add(Array(prefix.utf8))
        parameters.add(Bookmarks.end(ofPrefix: prefix))
        parameters.add(Array((name ?? "").utf8))
        parameters.add(Int64(limit))
        return try await self.rows(Self.list, parameters) { row throws(StoreError) in
            Bookmark(name: String(decoding: try row.bytes(0), as: UTF8.self), value: try row.bytes(1))
        }
    }

    private static let list = PreparedStatement(
        "bookmarks_list",
        """
        SELECT name, value FROM bookmark
        WHERE name >= $1::bytea AND name < $2::bytea AND name > $3::bytea AND value <> '' ORDER BY name LIMIT $4::bigint
        """)

    /// An empty value takes the place of the old one, as any other does, and is then cleared away: rows of several names
    /// are locked in one order alone.
    package func setBookmarks(_ values: [String: [UInt8]]) async throws(StoreError) {
        try Bookmarks.check(values)
        guard !values.isEmpty else { return }
        // In the order of their names: of two that write the same ones, neither waits for the other in a circle.
        let sorted = values.map { (name: Array($0.key.utf8), value: $0.value) }
            .sorted { $0.name.lexicographicallyPrecedes($1.name) }
        var parameters = Parameters()
        parameters.add(blobs: sorted.map(\.name))
        parameters.add(blobs: sorted.map(\.value))
        try await self.write(Self.set, parameters)

        let emptied = sorted.filter(\.value.isEmpty).map(\.name)
        guard !emptied.isEmpty else { return }
        var names = Parameters()
        names.add(blobs: emptied)
        try await self.write(Self.clear, names)
    }

    private static let set = PreparedStatement(
        "bookmarks_set",
        """
        INSERT INTO bookmark (name, value) SELECT name, value FROM unnest($1::bytea[], $2::bytea[]) AS new (name, value)
        ON CONFLICT (name) DO UPDATE SET value = excluded.value
        """)

    private static let clear = PreparedStatement(
        "bookmarks_clear", "DELETE FROM bookmark WHERE name = ANY ($1::bytea[]) AND value = ''")

    package func keepBookmark(_ name: String, _ value: [UInt8]) throws(StoreError) -> [UInt8] {
        try Bookmarks.check(name, kept: value)
        var parameters = Parameters()
        parameters.add(Array(name.utf8))
        parameters.add(value)
        let kept = try self.watch(Self.keep, parameters) { row throws(StoreError) in try row.bytes(0) }
        return kept.first ?? value
    }

    /// The row is written in any case, so that it is given back; an emptied one waits to be cleared away.
    private static let keep = PreparedStatement(
        "bookmarks_keep",
        """
        INSERT INTO bookmark (name, value) VALUES ($1::bytea, $2::bytea)
        ON CONFLICT (name) DO UPDATE
        SET value = CASE WHEN bookmark.value = '' THEN excluded.value ELSE bookmark.value END
        RETURNING value
        """)

    /// Whoever waits for the row of another looks again at what it says then.
    package func replaceBookmark(
        _ name: String, _ old: [UInt8], with new: [UInt8]
    ) async throws(StoreError) -> Bool {
        try Bookmarks.check(name, old, replacedBy: new)
        var parameters = Parameters()
        parameters.add(Array(name.utf8))
        parameters.add(old)
        parameters.add(new)
        return try await !self.write(Self.replace, parameters).isEmpty
    }

    private static let replace = PreparedStatement(
        "bookmarks_replace",
        "UPDATE bookmark SET value = $3::bytea WHERE name = $1::bytea AND value = $2::bytea RETURNING name")
}
