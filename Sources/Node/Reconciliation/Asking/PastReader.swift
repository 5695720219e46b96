package import AppStore
import EventLog
package import ServiceContract
package import Subscriptions

/// Learns the past of a subscription from Apple's transaction history: all of it the first time, later what is new or
/// was modified since. Where it stopped is kept with the subscription that was asked about, for each set of filters.
package struct PastReader: Sendable {
    let recorder: AnswerRecorder
    let store: any EventStore

    /// - Throws: `ServiceError` or `ServerAPIError`; what was read before stays, and the next time goes on after it.
    @discardableResult
    package func read(_ key: StreamKey, from client: ServerAPIClient) async throws -> ReconciliationProgress {
        let name = Self.name(of: key)
        let revision = try await self.store.bookmarks([name])[name].map { String(decoding: $0, as: UTF8.self) }
        var progress = ReconciliationProgress()
        for try await page in client.transactionHistoryPages(of: key.id, HistoryFilter(), after: revision) {
            progress += try await self.recorder.record(page.signedTransactions, of: client.account).progress
            if let revision = page.revision { try await self.store.setBookmarks([name: Array(revision.utf8)]) }
        }
        return progress
    }

    /// `all` are the filters: none.
    private static func name(of key: StreamKey) -> String {
        "revision/all/\(key.environment.rawValue)/\(key.bundleID.rawValue)/\(key.id)"
    }
}
