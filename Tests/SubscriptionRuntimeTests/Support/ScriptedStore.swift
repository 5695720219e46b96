import EventSourcing
import Synchronization

/// A store whose commits can be made to fail, to wait, or to be forgotten.
final class ScriptedStore: EventStore {
    typealias Append = @Sendable ([ShardBatch], any EventStore) -> Result<[AppendOutcome], StoreError>

    private let inner: any EventStore
    private let script: Mutex<[Append]>
    private let log = Mutex<[[ShardBatch]]>([])
    private let failure = Mutex<StoreError?>(nil)
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

    /// As usual.
    static func commit(_ batches: [ShardBatch], to store: any EventStore) -> Result<[AppendOutcome], StoreError> {
        do throws(StoreError) {
            return .success(try store.append(batches))
        } catch {
            return .failure(error)
        }
    }

    var identity: StoreIdentity { self.inner.identity }

    func register(_ node: NodeRecord) throws(StoreError) { try self.inner.register(node) }

    func featureLevel() throws(StoreError) -> FeatureLevel { try self.inner.featureLevel() }

    func raiseFeatureLevel(to level: FeatureLevel) throws(StoreError) -> Bool {
        try self.inner.raiseFeatureLevel(to: level)
    }

    func claim(_ claim: ShardClaim) throws(StoreError) -> [ShardOwnership] {
        let taken = try self.inner.claim(claim)
        guard let ownerships = self.ownerships else { return taken }
        return try ownerships(taken)
    }

    func nodes() async throws(StoreError) -> [NodeRecord] { try await self.inner.nodes() }

    func shards() async throws(StoreError) -> [ShardRecord] { try await self.inner.shards() }

    func append(_ batches: [ShardBatch]) throws(StoreError) -> [AppendOutcome] {
        self.log.withLock { $0.append(batches) }
        let append = self.script.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        guard let append else { return try self.inner.append(batches) }
        return try append(batches, self.inner).get()
    }

    func streams(_ keys: [[UInt8]], in shard: ShardID) async throws(StoreError) -> [StreamRow] {
        if let failure = self.readFailure { throw failure }
        return try await self.inner.streams(keys, in: shard)
    }

    func streams(withPrefix prefix: [UInt8], in shard: ShardID, limit: Int) async throws(StoreError) -> [StreamRow] {
        try await self.inner.streams(withPrefix: prefix, in: shard, limit: limit)
    }

    func streams(
        withPrefixes prefixes: [(shard: ShardID, prefix: [UInt8])], limit: Int
    ) async throws(StoreError) -> [[StreamRow]] {
        let rows = try await self.inner.streams(withPrefixes: prefixes, limit: limit)
        await self.rowsComeAfter?()
        return rows
    }

    func streams(in shard: ShardID, after key: [UInt8]?, limit: Int) async throws(StoreError) -> [StreamRow] {
        try await self.inner.streams(in: shard, after: key, limit: limit)
    }

    func due(in shard: ShardID, at moment: Int64, limit: Int) async throws(StoreError) -> [StreamRow] {
        try await self.inner.due(in: shard, at: moment, limit: limit)
    }

    func nextDue(in shard: ShardID) async throws(StoreError) -> Int64? { try await self.inner.nextDue(in: shard) }

    func events(withDedupKeys dedupKeys: [[UInt8]], in shard: ShardID) async throws(StoreError) -> [StoredEvent] {
        try await self.inner.events(withDedupKeys: dedupKeys, in: shard)
    }

    func events(
        of key: [UInt8], in shard: ShardID, after version: StreamVersion, limit: Int
    ) async throws(StoreError) -> [StoredEvent] {
        try await self.inner.events(of: key, in: shard, after: version, limit: limit)
    }

    func events(
        in shard: ShardID, after sequence: EventSourcing.Sequence, limit: Int
    ) async throws(StoreError) -> [StoredEvent] {
        try await self.inner.events(in: shard, after: sequence, limit: limit)
    }

    func heads() async throws(StoreError) -> [Position] { try await self.inner.heads() }

    func incarnationTag(of sequence: EventSourcing.Sequence, in shard: ShardID) async throws(StoreError) -> UInt32? {
        try await self.inner.incarnationTag(of: sequence, in: shard)
    }

    func evidence(of sequence: EventSourcing.Sequence, in shard: ShardID) async throws(StoreError) -> Evidence? {
        try await self.inner.evidence(of: sequence, in: shard)
    }

    func streams(for kind: Lookup.Kind, value: String) async throws(StoreError) -> [[UInt8]] {
        try await self.inner.streams(for: kind, value: value)
    }

    func eraseEvidence(of key: [UInt8], in shard: ShardID) async throws(StoreError) {
        try await self.inner.eraseEvidence(of: key, in: shard)
    }

    func quarantine(_ payload: QuarantinedPayload) async throws(StoreError) {
        try await self.inner.quarantine(payload)
    }

    func quarantined(after id: Int64, limit: Int) async throws(StoreError) -> [QuarantinedPayload] {
        try await self.inner.quarantined(after: id, limit: limit)
    }

    func removeQuarantined(_ id: Int64) async throws(StoreError) { try await self.inner.removeQuarantined(id) }

    func quarantineDepth() async throws(StoreError) -> Int { try await self.inner.quarantineDepth() }

    func bookmarks(_ names: [String]) async throws(StoreError) -> [String: [UInt8]] {
        try await self.inner.bookmarks(names)
    }

    func bookmarks(
        startingWith prefix: String, after name: String?, limit: Int
    ) async throws(StoreError) -> [Bookmark] {
        try await self.inner.bookmarks(startingWith: prefix, after: name, limit: limit)
    }

    func setBookmarks(_ values: [String: [UInt8]]) async throws(StoreError) {
        try await self.inner.setBookmarks(values)
    }

    func statistics() async throws(StoreError) -> StoreStatistics { try await self.inner.statistics() }

    func ping() async throws(StoreError) { try await self.inner.ping() }

    func close() throws(StoreError) { try self.inner.close() }
}
