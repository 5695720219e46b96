package import EventLog
package import Subscriptions

/// A store that does what another one does, but for what its type says otherwise.
package protocol ForwardingStore: EventStore {
    /// The other one, at this moment.
    var inner: any EventStore { get }
}

extension ForwardingStore {
    package var identity: StoreIdentity { self.inner.identity }

    package var appendConcurrency: Int { self.inner.appendConcurrency }

    package func register(_ node: NodeRecord) throws(StoreError) { try self.inner.register(node) }

    package func featureLevel() throws(StoreError) -> FeatureLevel { try self.inner.featureLevel() }

    package func raiseFeatureLevel(to level: FeatureLevel) throws(StoreError) -> Bool {
        try self.inner.raiseFeatureLevel(to: level)
    }

    package func claim(_ claim: ShardClaim) throws(StoreError) -> [ShardOwnership] { try self.inner.claim(claim) }

    package func append(_ batches: [ShardBatch]) throws(StoreError) -> [AppendOutcome] {
        try self.inner.append(batches)
    }

    package func streams(_ keys: [[UInt8]], in shard: ShardID) async throws(StoreError) -> [StreamRow] {
        try await self.inner.streams(keys, in: shard)
    }

    package func streams(
        withPrefixes prefixes: [(shard: ShardID, prefix: [UInt8])], limit: Int
    ) async throws(StoreError) -> [[StreamRow]] {
        try await self.inner.streams(withPrefixes: prefixes, limit: limit)
    }

    package func nodes() async throws(StoreError) -> [NodeRecord] { try await self.inner.nodes() }

    package func shards() async throws(StoreError) -> [ShardRecord] { try await self.inner.shards() }

    package func streams(withPrefix prefix: [UInt8], in shard: ShardID, limit: Int) async throws(StoreError)
        -> [StreamRow]
    {
        try await self.inner.streams(withPrefix: prefix, in: shard, limit: limit)
    }

    package func streams(in shard: ShardID, after key: [UInt8]?, limit: Int) async throws(StoreError) -> [StreamRow] {
        try await self.inner.streams(in: shard, after: key, limit: limit)
    }

    package func due(in shard: ShardID, at moment: Int64, limit: Int) async throws(StoreError) -> [StreamRow] {
        try await self.inner.due(in: shard, at: moment, limit: limit)
    }

    package func nextDue(in shard: ShardID) async throws(StoreError) -> Int64? {
        try await self.inner.nextDue(in: shard)
    }

    package func events(withDedupKeys dedupKeys: [[UInt8]], in shard: ShardID) async throws(StoreError) -> [StoredEvent]
    {
        try await self.inner.events(withDedupKeys: dedupKeys, in: shard)
    }

    package func events(
        of key: [UInt8], in shard: ShardID, after version: StreamVersion, limit: Int
    ) async throws(StoreError) -> [StoredEvent] {
        try await self.inner.events(of: key, in: shard, after: version, limit: limit)
    }

    package func events(
        in shard: ShardID, after sequence: LogSequence, limit: Int
    ) async throws(StoreError) -> [StoredEvent] {
        try await self.inner.events(in: shard, after: sequence, limit: limit)
    }

    package func heads() async throws(StoreError) -> [Position] { try await self.inner.heads() }

    package func incarnationTag(of sequence: LogSequence, in shard: ShardID) async throws(StoreError)
        -> UInt32?
    {
        try await self.inner.incarnationTag(of: sequence, in: shard)
    }

    package func evidence(of sequence: LogSequence, in shard: ShardID) async throws(StoreError) -> Evidence? {
        try await self.inner.evidence(of: sequence, in: shard)
    }

    package func headerSegments(limit: Int) async throws(StoreError) -> [[UInt8]] {
        try await self.inner.headerSegments(limit: limit)
    }

    package func streams(for identifiers: [SoughtIdentifier]) async throws(StoreError) -> [[[UInt8]]] {
        try await self.inner.streams(for: identifiers)
    }

    package func eraseEvidence(of key: [UInt8], in shard: ShardID) async throws(StoreError) {
        try await self.inner.eraseEvidence(of: key, in: shard)
    }

    package func replaceBodies(_ replacements: [BodyReplacement], in shard: ShardID) async throws(StoreError) {
        try await self.inner.replaceBodies(replacements, in: shard)
    }

    package func removeLookups(of identifiers: [SoughtIdentifier]) async throws(StoreError) {
        try await self.inner.removeLookups(of: identifiers)
    }

    package func clearLookups(limit: Int) async throws(StoreError) -> [ClearLookup] {
        try await self.inner.clearLookups(limit: limit)
    }

    package func replace(_ lookups: [ClearLookup], by hashes: [IdentifierHash?]) async throws(StoreError) {
        try await self.inner.replace(lookups, by: hashes)
    }

    package func quarantine(_ payload: QuarantinedPayload) async throws(StoreError) {
        try await self.inner.quarantine(payload)
    }

    package func quarantined(after id: Int64, limit: Int) async throws(StoreError) -> [QuarantinedPayload] {
        try await self.inner.quarantined(after: id, limit: limit)
    }

    package func removeQuarantined(_ id: Int64) async throws(StoreError) { try await self.inner.removeQuarantined(id) }

    package func quarantineDepth() async throws(StoreError) -> Int { try await self.inner.quarantineDepth() }

    package func bookmarks(_ names: [String]) async throws(StoreError) -> [String: [UInt8]] {
        try await self.inner.bookmarks(names)
    }

    package func bookmarks(
        startingWith prefix: String, after name: String?, limit: Int
    ) async throws(StoreError) -> [Bookmark] {
        try await self.inner.bookmarks(startingWith: prefix, after: name, limit: limit)
    }

    package func setBookmarks(_ values: [String: [UInt8]]) async throws(StoreError) {
        try await self.inner.setBookmarks(values)
    }

    package func keepBookmark(_ name: String, _ value: [UInt8]) throws(StoreError) -> [UInt8] {
        try self.inner.keepBookmark(name, value)
    }

    package func replaceBookmark(
        _ name: String, _ old: [UInt8], with new: [UInt8]
    ) async throws(StoreError) -> Bool {
        try await self.inner.replaceBookmark(name, old, with: new)
    }

    package func put(_ row: InboxRow) async throws(StoreError) { try await self.inner.put(row) }

    package func inbox(
        of shards: [ShardID], after last: InboxRow?, limit: Int
    ) async throws(StoreError) -> [InboxRow] {
        try await self.inner.inbox(of: shards, after: last, limit: limit)
    }

    package func removeFromInbox(_ removals: [InboxRemoval]) async throws(StoreError) -> Set<ShardID> {
        try await self.inner.removeFromInbox(removals)
    }

    package func recordFailedAttempt(
        _ dedupKeys: [[UInt8]], parkingAt limit: Int, at moment: Int64
    ) async throws(StoreError) {
        try await self.inner.recordFailedAttempt(dedupKeys, parkingAt: limit, at: moment)
    }

    package func inboxDepth() async throws(StoreError) -> InboxDepth { try await self.inner.inboxDepth() }

    package func statistics() async throws(StoreError) -> StoreStatistics { try await self.inner.statistics() }

    package func ping() async throws(StoreError) { try await self.inner.ping() }

    package func checkFiles() throws(StoreError) -> String? { try self.inner.checkFiles() }

    package func close() throws(StoreError) { try self.inner.close() }
}
