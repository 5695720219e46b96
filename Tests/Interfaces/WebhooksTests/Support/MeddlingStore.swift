import EventLog
import PerennialTestSupport
import Synchronization

/// Lets somebody else write first, once, when a certain note is written.
final class MeddlingStore: ForwardingStore {
    typealias Meddling = @Sendable () async -> Void

    let inner: any EventStore
    private let state = Mutex<(prefix: String, meddle: Meddling)?>(nil)

    init(_ inner: any EventStore) { self.inner = inner }

    func before(_ prefix: String, _ meddle: @escaping Meddling) { self.state.withLock { $0 = (prefix, meddle) } }

    private func meddle(before names: some Collection<String>) async {
        let meddle: Meddling? = self.state.withLock { state in
            guard let prefix = state?.prefix, names.contains(where: { $0.hasPrefix(prefix) }) else { return nil }
            defer { state = nil }
            return state?.meddle
        }
        await meddle?()
    }

    func setBookmarks(_ values: [String: [UInt8]]) async throws(StoreError) {
        await self.meddle(before: values.keys)
        try await self.inner.setBookmarks(values)
    }

    func replaceBookmark(_ name: String, _ old: [UInt8], with new: [UInt8]) async throws(StoreError) -> Bool {
        await self.meddle(before: [name])
        return try await self.inner.replaceBookmark(name, old, with: new)
    }
}
