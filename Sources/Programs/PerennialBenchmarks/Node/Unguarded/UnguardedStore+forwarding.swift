import EventLog
import Subscriptions

extension UnguardedStore {
    var identity: StoreIdentity { self.base.identity }
    var appendConcurrency: Int { self.base.appendConcurrency }

    func close() throws(StoreError) { try self.base.close() }

    // MARK: Ownership

    func register(_ node: NodeRecord) throws(StoreError) { try self.base.register(node) }

    func claim(_ claim: ShardClaim) throws(StoreError) -> [ShardOwnership] { try self.base.claim(claim) }

    func nodes() async throws(StoreError) -> [NodeRecord] { try await self.base.nodes() }

    func shards() async throws(StoreError) -> [ShardRecord] { try await self.base.shards() }

    func begin(_ node: NodeRecord, lease: Duration) throws(StoreError) -> NodeRun {
        try self.base.begin(node, lease: lease)
    }

    func leave(_ run: NodeRun) throws(StoreError) { try self.base.leave(run) }

    func depose(_ seen: NodeStatus) throws(StoreError) -> Bool { try self.base.depose(seen) }

    func view() throws(StoreError) -> ClusterView { try self.base.view() }

    func take(_ seen: [ShardRecord], as run: NodeRun) throws(StoreError) -> [ShardOwnership] {
        try self.base.take(seen, as: run)
    }

    func give(
        _ shard: ShardID, under epoch: Epoch, from owner: ShardRecord.Owner, to other: ShardRecord.Owner
    ) throws(StoreError) -> Bool {
        try self.base.give(shard, under: epoch, from: owner, to: other)
    }

    func featureLevel() throws(StoreError) -> FeatureLevel { try self.base.featureLevel() }

    func raiseFeatureLevel(to level: FeatureLevel) throws(StoreError) -> Bool {
        try self.base.raiseFeatureLevel(to: level)
    }

    // MARK: Reading

    func streams(_ keys: [[UInt8]], in shard: ShardID) async throws(StoreError) -> [StreamRow] {
        try await self.base.streams(keys, in: shard)
    }

    func streams(
        withPrefix prefix: [UInt8], in shard: ShardID, limit: Int
    ) async throws(StoreError) -> [StreamRow] {
        try await self.base.streams(withPrefix: prefix, in: shard, limit: limit)
    }

    func streams(
        withPrefixes prefixes: [(shard: ShardID, prefix: [UInt8])], limit: Int
    ) async throws(StoreError) -> [[StreamRow]] {
        try await self.base.streams(withPrefixes: prefixes, limit: limit)
    }

    func streams(in shard: ShardID, after key: [UInt8]?, limit: Int) async throws(StoreError) -> [StreamRow] {
        try await self.base.streams(in: shard, after: key, limit: limit)
    }

    func due(in shard: ShardID, at moment: Int64, limit: Int) async throws(StoreError) -> [StreamRow] {
        try await self.base.due(in: shard, at: moment, limit: limit)
    }

    func nextDue(in shard: ShardID) async throws(StoreError) -> Int64? { try await self.base.nextDue(in: shard) }

    func events(withDedupKeys dedupKeys: [[UInt8]], in shard: ShardID) async throws(StoreError) -> [StoredEvent] {
        try await self.base.events(withDedupKeys: dedupKeys, in: shard)
    }

    func load(_ requests: [LoadRequest]) async throws(StoreError) -> [LoadAnswer] {
        try await self.base.load(requests)
    }

    func events(
        of key: [UInt8], in shard: ShardID, after version: StreamVersion, limit: Int
    ) async throws(StoreError) -> [StoredEvent] {
        try await self.base.events(of: key, in: shard, after: version, limit: limit)
    }

    func events(in shard: ShardID, after sequence: LogSequence, limit: Int) async throws(StoreError) -> [StoredEvent] {
        try await self.base.events(in: shard, after: sequence, limit: limit)
    }

    func heads() async throws(StoreError) -> [Position] { try await self.base.heads() }

    func incarnationTag(of sequence: LogSequence, in shard: ShardID) async throws(StoreError) -> UInt32? {
        try await self.base.incarnationTag(of: sequence, in: shard)
    }

    func evidence(of sequence: LogSequence, in shard: ShardID) async throws(StoreError) -> Evidence? {
        try await self.base.evidence(of: sequence, in: shard)
    }

    func headerSegments(limit: Int) async throws(StoreError) -> [[UInt8]] {
        try await self.base.headerSegments(limit: limit)
    }

    func streams(for identifiers: [SoughtIdentifier]) async throws(StoreError) -> [[[UInt8]]] {
        try await self.base.streams(for: identifiers)
    }

    // MARK: Beside the log

    func eraseEvidence(of key: [UInt8], in shard: ShardID) async throws(StoreError) {
        try await self.base.eraseEvidence(of: key, in: shard)
    }

    func replaceBodies(_ replacements: [BodyReplacement], in shard: ShardID) async throws(StoreError) {
        try await self.base.replaceBodies(replacements, in: shard)
    }

    func removeLookups(of identifiers: [SoughtIdentifier]) async throws(StoreError) {
        try await self.base.removeLookups(of: identifiers)
    }

    func clearLookups(limit: Int) async throws(StoreError) -> [ClearLookup] {
        try await self.base.clearLookups(limit: limit)
    }

    func replace(_ lookups: [ClearLookup], by hashes: [IdentifierHash?]) async throws(StoreError) {
        try await self.base.replace(lookups, by: hashes)
    }

    func quarantine(_ payload: QuarantinedPayload) async throws(StoreError) {
        try await self.base.quarantine(payload)
    }

    func quarantined(after id: Int64, limit: Int) async throws(StoreError) -> [QuarantinedPayload] {
        try await self.base.quarantined(after: id, limit: limit)
    }

    func removeQuarantined(_ id: Int64) async throws(StoreError) { try await self.base.removeQuarantined(id) }

    func quarantineDepth() async throws(StoreError) -> Int { try await self.base.quarantineDepth() }

    func bookmarks(_ names: [String]) async throws(StoreError) -> [String: [UInt8]] {
        try await self.base.bookmarks(names)
    }

    func bookmarks(
        startingWith prefix: String, after name: String?, limit: Int
    ) async throws(StoreError) -> [Bookmark] {
        try await self.base.bookmarks(startingWith: prefix, after: name, limit: limit)
    }

    func setBookmarks(_ values: [String: [UInt8]]) async throws(StoreError) {
        try await self.base.setBookmarks(values)
    }

    func keepBookmark(_ name: String, _ value: [UInt8]) throws(StoreError) -> [UInt8] {
        try self.base.keepBookmark(name, value)
    }

    func replaceBookmark(_ name: String, _ old: [UInt8], with new: [UInt8]) async throws(StoreError) -> Bool {
        try await self.base.replaceBookmark(name, old, with: new)
    }

    func statistics() async throws(StoreError) -> StoreStatistics { try await self.base.statistics() }

    func checkFiles() throws(StoreError) -> String? { try self.base.checkFiles() }

    func ping() async throws(StoreError) { try await self.base.ping() }

    func put(_ row: InboxRow) async throws(StoreError) { try await self.base.put(row) }

    func inbox(
        of shards: [ShardID], after last: InboxRow?, limit: Int
    ) async throws(StoreError) -> [InboxRow] {
        try await self.base.inbox(of: shards, after: last, limit: limit)
    }

    func removeFromInbox(_ removals: [InboxRemoval]) async throws(StoreError) -> Set<ShardID> {
        try await self.base.removeFromInbox(removals)
    }

    func recordFailedAttempt(
        _ dedupKeys: [[UInt8]], parkingAt limit: Int, at moment: Int64
    ) async throws(StoreError) {
        try await self.base.recordFailedAttempt(dedupKeys, parkingAt: limit, at: moment)
    }

    func inboxDepth() async throws(StoreError) -> InboxDepth { try await self.base.inboxDepth() }
}
