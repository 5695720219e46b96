import Subscriptions
import Synchronization

/// The store's books of everything sold so far, for its API to read while customers go on living.
final class Ledger: Sendable {
    /// A transaction as it was last changed.
    struct Entry: Sendable {
        let transaction: StoreTransaction
        /// Counts every change of a transaction in this store: the order of modification.
        let revision: Int64
    }

    /// A book as it stands, and its transactions in the order in which they were made.
    struct Page: Sendable {
        let book: Book
        /// Of its transactions.
        fileprivate(set) var revisions: [Int64]
        /// From this moment on all that it holds may be said: when it was last written to.
        let moment: Moment

        /// When something of it is signed now: nothing that the store signs later is about an earlier state.
        func signedDate(settled: Moment) -> Moment { max(settled, self.moment, self.book.lastSigned) }

        var entries: [Entry] {
            zip(self.book.transactions, self.revisions).map { Entry(transaction: $0, revision: $1) }
        }
    }

    fileprivate struct Contents {
        var pages: [String: Page] = [:]
        /// By account, the `originalTransactionId`s of its pages: one for a subscription, several for one-time purchases.
        var accounts: [Int: [String]] = [:]
        /// By `appTransactionId`, in the order of sale.
        var customers: [String: [String]] = [:]
        var revision: Int64 = 0
        /// By `requestIdentifier`.
        var massExtensions: [String: MassExtensionReport] = [:]
    }

    private let contents = Mutex(Contents())

    /// Has to be told of every development, in order: then the same simulation gives the same revisions.
    func update(_ development: Development) {
        guard !development.books.isEmpty || development.massExtension != nil else { return }
        self.contents.withLock { contents in
            for book in development.books { contents.update(book, at: development.moment) }
            if let report = development.massExtension {
                contents.massExtensions[report.summary.requestIdentifier] = report
            }
        }
    }

    /// nil when none of that name was asked for.
    func massExtension(_ requestIdentifier: String) -> MassExtensionReport? {
        self.contents.withLock { $0.massExtensions[requestIdentifier] }
    }

    /// All that the Apple account has bought to which a transaction or an `appTransactionId` belongs, in the order of sale;
    /// empty when there is no such thing.
    func pages(ofCustomerWith anyTransactionID: String) -> [Page] {
        self.contents.withLock { contents in
            let customer = contents.page(ofTransaction: anyTransactionID)?.book.profile.appTransactionID
            return (contents.customers[customer ?? anyTransactionID] ?? []).compactMap { contents.pages[$0] }
        }
    }

    /// The book a transaction is in; nil when there is no such transaction.
    func page(ofTransaction id: String) -> Page? { self.contents.withLock { $0.page(ofTransaction: id) } }
}

extension Ledger.Contents {
    fileprivate func page(ofTransaction id: String) -> Ledger.Page? {
        guard let account = TransactionNumbers.account(ofTransaction: id) else { return nil }
        for original in self.accounts[account] ?? [] {
            guard let page = self.pages[original], page.book.transactions.contains(where: { $0.id == id }) else {
                continue
            }
            return page
        }
        return nil
    }

    fileprivate mutating func update(_ book: Book, at moment: Moment) {
        let id = book.originalTransactionID
        let known = self.pages[id]
        if known == nil {
            if let account = TransactionNumbers.account(ofTransaction: id) {
                self.accounts[account, default: []].append(id)
            }
            self.customers[book.profile.appTransactionID, default: []].append(id)
        }
        var revisions = known?.revisions ?? []
        let (before, after) = (known?.book.transactions ?? [], book.transactions)
        if before != after {
            for (position, transaction) in after.enumerated() {
                guard position >= before.count || before[position] != transaction else { continue }
                self.revision += 1
                if position < before.count {
                    revisions[position] = self.revision
                } else {
                    revisions.append(self.revision)
                }
            }
        }
        self.pages[id] = Ledger.Page(book: book, revisions: revisions, moment: moment)
    }
}
