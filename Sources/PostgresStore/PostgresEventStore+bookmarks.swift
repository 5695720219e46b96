package import EventSourcing

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
}
