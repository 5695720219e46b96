package import EventLog
import Synchronization

extension InMemoryEventStore {
    package func bookmarks(_ names: [String]) -> [String: [UInt8]] {
        self.state.withLock { state in
            let found = names.compactMap { name in state.bookmarks[Array(name.utf8)].map { (name, $0) } }
            return Dictionary(found, uniquingKeysWith: { first, _ in first })
        }
    }

    package func bookmarks(startingWith prefix: String, after name: String?, limit: Int) -> [Bookmark] {
        let after = Array((name ?? "").utf8)
        let found = self.state.withLock { state in
            state.bookmarks.filter { $0.key.starts(with: prefix.utf8) && after.lexicographicallyPrecedes($0.key) }
        }
        return found.sorted { $0.key.lexicographicallyPrecedes($1.key) }.prefix(limit).map {
            Bookmark(name: String(decoding: $0.key, as: UTF8.self), value: $0.value)
        }
    }

    package func setBookmarks(_ values: [String: [UInt8]]) throws(StoreError) {
        try Bookmarks.check(values)
        self.state.withLock { state in
            for (name, value) in values { state.bookmarks[Array(name.utf8)] = value.isEmpty ? nil : value }
        }
    }

    package func keepBookmark(_ name: String, _ value: [UInt8]) throws(StoreError) -> [UInt8] {
        try Bookmarks.check(name, kept: value)
        return self.state.withLock { state in
            let name = Array(name.utf8)
            let kept = state.bookmarks[name] ?? value
            state.bookmarks[name] = kept
            return kept
        }
    }

    package func replaceBookmark(_ name: String, _ old: [UInt8], with new: [UInt8]) throws(StoreError) -> Bool {
        try Bookmarks.check(name, old, replacedBy: new)
        return self.state.withLock { state in
            guard state.bookmarks[Array(name.utf8)] == old else { return false }
            state.bookmarks[Array(name.utf8)] = new
            return true
        }
    }
}
