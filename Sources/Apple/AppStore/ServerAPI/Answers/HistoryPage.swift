package import Subscriptions

/// At most twenty transactions of a customer (Apple's HistoryResponse), or refunded ones.
package struct HistoryPage: Hashable, Sendable, AnswerPage {
    /// Where the next page starts. The last page's, kept and given again later, leads to what is new or was modified
    /// since, if the order is ascending.
    package var revision: String?
    package var hasMore = false
    package var environment: AppStoreEnvironment?
    package var bundleID: String?
    /// nil in Sandbox.
    package var appAppleID: Int64?
    package var signedTransactions: [SignedString] = []

    package init() {}

    package var isEmpty: Bool { self.signedTransactions.isEmpty }
    package var nextPage: String? { self.revision }
}
