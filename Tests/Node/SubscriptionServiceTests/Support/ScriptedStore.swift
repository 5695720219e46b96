import Dispatch
import EventLog
import PerennialTestSupport
import Synchronization

/// A store whose commits can be made to fail, to wait, or to be forgotten.
final class ScriptedStore: ForwardingStore {
    typealias Append = @Sendable ([ShardBatch], any EventStore) -> Result<[AppendOutcome], StoreError>

    let inner: any EventStore
    private let script: Mutex<[Append]>
    private let log = Mutex<[[ShardBatch]]>([])
    private let failure = Mutex<StoreError?>(nil)
    private let damage = Mutex<[UInt8]?>(nil)
    private let claims = Mutex<Claims?>(nil)
    private let pause = Mutex<(@Sendable () async -> Void)?>(nil)
    let appendConcurrency: Int

    typealias Claims = @Sendable ([ShardOwnership]) throws(StoreError) -> [ShardOwnership]

    init(_ inner: any EventStore, _ script: [Append] = [], appendConcurrency: Int = 1) {
        self.inner = inner
        self.script = Mutex(script)
        self.appendConcurrency = appendConcurrency
    }

    /// What was asked to be appended, commit by commit.
    var commits: [[ShardBatch]] { self.log.withLock { $0 } }

    /// The next commits go through these, one each; then as usual.
    func next(_ script: [Append]) { self.script.withLock { $0 += script } }

    /// Every read of streams fails with this, until nil.
    var readFailure: StoreError? {
        get { self.failure.withLock { $0 } }
        set { self.failure.withLock { $0 = newValue } }
    }

    /// Whoever reads the row of this stream, among others, gets none.
    var damagedStream: [UInt8]? {
        get { self.damage.withLock { $0 } }
        set { self.damage.withLock { $0 = newValue } }
    }

    /// What is made of every claim's answer, until nil.
    var ownerships: Claims? {
        get { self.claims.withLock { $0 } }
        set { self.claims.withLock { $0 = newValue } }
    }

    /// Rows that checks ask for have been read, and come after this.
    var rowsComeAfter: (@Sendable () async -> Void)? {
        get { self.pause.withLock { $0 } }
        set { self.pause.withLock { $0 = newValue } }
    }

    /// Nothing happens, for the fence does not hold.
    static let fenced: Append = { batches, _ in .success(batches.map { _ in .fenced }) }

    static func failing(_ code: StoreError.Code) -> Append {
        { _, _ in .failure(StoreError(code, "as the test says")) }
    }

    /// The commit happens, and nobody hears of it.
    static let happensUnheard: Append = { batches, store in
        _ = ScriptedStore.commit(batches, to: store)
        return .failure(StoreError(.outcomeUnknown, "as the test says"))
    }

    /// As usual, once the test says so.
    static func waiting(for block: DispatchSemaphore) -> Append {
        { batches, store in
            block.wait()
            return Self.commit(batches, to: store)
        }
    }

    /// As usual.
    static func commit(_ batches: [ShardBatch], to store: any EventStore) -> Result<[AppendOutcome], StoreError> {
        do throws(StoreError) {
            return .success(try store.append(batches))
        } catch {
            return .failure(error)
        }
    }

    func claim(_ claim: ShardClaim) throws(StoreError) -> [ShardOwnership] {
        let taken = try self.inner.claim(claim)
        guard let ownerships = self.ownerships else { return taken }
        return try ownerships(taken)
    }

    func append(_ batches: [ShardBatch]) throws(StoreError) -> [AppendOutcome] {
        self.log.withLock { $0.append(batches) }
        let append = self.script.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        guard let append else { return try self.inner.append(batches) }
        return try append(batches, self.inner).get()
    }

    func streams(_ keys: [[UInt8]], in shard: ShardID) async throws(StoreError) -> [StreamRow] {
        if let failure = self.readFailure { throw failure }
        if let damaged = self.damagedStream, keys.contains(damaged) { throw StoreError(.corrupt, "as the test says") }
        return try await self.inner.streams(keys, in: shard)
    }

    func streams(
        withPrefixes prefixes: [(shard: ShardID, prefix: [UInt8])], limit: Int
    ) async throws(StoreError) -> [[StreamRow]] {
        let rows = try await self.inner.streams(withPrefixes: prefixes, limit: limit)
        await self.rowsComeAfter?()
        return rows
    }
}
