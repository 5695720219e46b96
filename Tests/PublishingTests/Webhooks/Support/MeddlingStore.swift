import EventSourcing
import PerennialTestSupport
import Synchronization

/// Lets somebody else write first, once, when certain notes are written.
final class MeddlingStore: ForwardingStore {
    typealias Meddling = @Sendable () async -> Void

    let inner: any EventStore
    private let state = Mutex<(prefixes: [String], meddle: Meddling)?>(nil)

    init(_ inner: any EventStore) { self.inner = inner }

    func before(_ prefixes: [String], _ meddle: @escaping Meddling) {
        self.state.withLock { $0 = (prefixes, meddle) }
    }

    func setBookmarks(_ values: [String: [UInt8]]) async throws(StoreError) {
        let meddle: Meddling? = self.state.withLock { state in
            guard let prefixes = state?.prefixes,
                values.keys.contains(where: { name in prefixes.contains { name.hasPrefix($0) } })
            else { return nil }
            defer { state = nil }
            return state?.meddle
        }
        await meddle?()
        try await self.inner.setBookmarks(values)
    }
}
