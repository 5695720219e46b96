package import EventLog
import Synchronization

/// A store that can fall silent, as a database does that is stopped: whoever asks for rows of streams, for heads or for who
/// wrote what gets neither an answer nor an error, until it speaks again.
package final class SilentStore: ForwardingStore {
    private struct State {
        var isSilent = false
        var waiting: [CheckedContinuation<Void, Never>] = []
        var askForRows = 0
    }

    package let inner: any EventStore
    private let state = Mutex(State())

    package init(_ inner: any EventStore) { self.inner = inner }

    package func fallSilent() { self.state.withLock { $0.isSilent = true } }

    package func speak() {
        let waiting = self.state.withLock { state in
            defer { state = State() }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// How many ask for rows of streams, and get no answer.
    package var waiting: Int { self.state.withLock(\.askForRows) }

    private func wait(forRows: Bool) async {
        await withCheckedContinuation { continuation in
            let isSilent = self.state.withLock { state in
                guard state.isSilent else { return false }
                state.waiting.append(continuation)
                if forRows { state.askForRows += 1 }
                return true
            }
            if !isSilent { continuation.resume() }
        }
    }

    package func streams(_ keys: [[UInt8]], in shard: ShardID) async throws(StoreError) -> [StreamRow] {
        await self.wait(forRows: true)
        return try await self.inner.streams(keys, in: shard)
    }

    package func streams(
        withPrefixes prefixes: [(shard: ShardID, prefix: [UInt8])], limit: Int
    ) async throws(StoreError) -> [[StreamRow]] {
        await self.wait(forRows: true)
        return try await self.inner.streams(withPrefixes: prefixes, limit: limit)
    }

    package func streams(
        withPrefix prefix: [UInt8], in shard: ShardID, limit: Int
    ) async throws(StoreError) -> [StreamRow] {
        await self.wait(forRows: true)
        return try await self.inner.streams(withPrefix: prefix, in: shard, limit: limit)
    }

    package func heads() async throws(StoreError) -> [Position] {
        await self.wait(forRows: false)
        return try await self.inner.heads()
    }

    package func incarnationTag(of sequence: LogSequence, in shard: ShardID) async throws(StoreError)
        -> UInt32?
    {
        await self.wait(forRows: false)
        return try await self.inner.incarnationTag(of: sequence, in: shard)
    }
}
