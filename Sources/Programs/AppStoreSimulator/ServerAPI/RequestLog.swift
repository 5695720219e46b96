import Synchronization

/// The newest requests to the store's API, as they came, for tests to read.
package final class RequestLog: Sendable {
    package struct Entry: Hashable, Sendable {
        package let method: String
        package let path: String
        /// As it stood in the request, without the question mark; empty without.
        package let query: String
        package let body: [UInt8]
        /// Of the answer.
        package let status: Int
        package let answered: ContinuousClock.Instant
    }

    private static let most = 1_000
    private let contents = Mutex<[Entry]>([])

    package init() {}

    /// Oldest first; a thousand at least, if there were so many.
    package var entries: [Entry] { self.contents.withLock { $0 } }

    package func removeAll() { self.contents.withLock { $0.removeAll() } }

    func note(_ entry: Entry) {
        self.contents.withLock { contents in
            contents.append(entry)
            if contents.count >= 2 * Self.most { contents.removeFirst(Self.most) }
        }
    }
}
