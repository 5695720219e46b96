import Synchronization

extension InMemoryEventStore {
    package func bookmarks(_ names: [String]) -> [String: [UInt8]] {
        self.state.withLock { state in
            let found = names.compactMap { name in state.bookmarks[Array(name.utf8)].map { (name, $0) } }
            return Dictionary(found, uniquingKeysWith: { first, _ in first })
        }
    }

    package func setBookmarks(_ values: [String: [UInt8]]) throws(StoreError) {
        try Bookmarks.check(values)
        self.state.withLock { state in
            for (name, value) in values { state.bookmarks[Array(name.utf8)] = value.isEmpty ? nil : value }
        }
    }
}
