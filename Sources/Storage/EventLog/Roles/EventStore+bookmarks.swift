extension EventStore {
    /// All notes whose names begin with `prefix`, in the order of their UTF-8, read page by page.
    package func allBookmarks(startingWith prefix: String) async throws(StoreError) -> [Bookmark] {
        let limit = 512
        var notes: [Bookmark] = []
        while true {
            let page = try await self.bookmarks(startingWith: prefix, after: notes.last?.name, limit: limit)
            notes += page
            guard page.count == limit else { return notes }
        }
    }
}
