/// A part of an answer that comes in several.
package protocol AnswerPage: Sendable {
    var hasMore: Bool { get }
    var isEmpty: Bool { get }
    /// What to ask for the next page with.
    var nextPage: String? { get }
}

/// Page after page of one question, each asked for when it is wanted. Ends after the page that says that there is no
/// more.
package struct PageSequence<Page: AnswerPage>: AsyncSequence, Sendable {
    package typealias Element = Page
    package typealias Failure = ServerAPIError

    private let start: String?
    private let load: @Sendable (String?) async throws(ServerAPIError) -> Page

    /// - Parameters:
    ///   - start: what the first page is asked for with; nil for the beginning.
    ///   - load: asks for one page.
    init(after start: String?, load: @escaping @Sendable (String?) async throws(ServerAPIError) -> Page) {
        self.start = start
        self.load = load
    }

    package func makeAsyncIterator() -> Iterator { Iterator(next: self.start, load: self.load) }

    package struct Iterator: AsyncIteratorProtocol {
        private var next: String?
        private let load: @Sendable (String?) async throws(ServerAPIError) -> Page
        private var asked: Set<String> = []
        private var emptyInARow = 0
        private var isOver = false

        /// Apple says nothing of pages without an item. A filter may leave some empty; so many in a row lead nowhere.
        private static var mostEmptyInARow: Int { 100 }

        init(next: String?, load: @escaping @Sendable (String?) async throws(ServerAPIError) -> Page) {
            self.next = next
            self.load = load
        }

        /// - Throws: what asking for the page throws; `.malformedAnswer` for a page that leads back to one that was
        ///   there, or nowhere, and for page after page with nothing in it: going on would never end. After an error there
        ///   is no further page.
        package mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(ServerAPIError) -> Page? {
            guard !self.isOver else { return nil }
            self.isOver = true
            if let next { self.asked.insert(next) }
            let page = try await self.load(self.next)
            guard page.hasMore else { return page }
            guard let next = page.nextPage, !self.asked.contains(next) else {
                throw ServerAPIError(.malformedAnswer, "a page promises more and does not say where it goes on")
            }
            self.emptyInARow = page.isEmpty ? self.emptyInARow + 1 : 0
            guard self.emptyInARow < Self.mostEmptyInARow else {
                throw ServerAPIError(
                    .malformedAnswer, "\(self.emptyInARow) pages in a row promise more and have nothing")
            }
            self.next = next
            self.isOver = false
            return page
        }
    }
}
