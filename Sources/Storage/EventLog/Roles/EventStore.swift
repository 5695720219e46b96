package import Subscriptions

/// The log: append-only events by shard, the newest state of each stream, and what stands beside them. In memory, on
/// SQLite, and on PostgreSQL; all three pass one contract suite.
package protocol EventStore: Sendable {
    /// Fixed when the store was made.
    var identity: StoreIdentity { get }

    // MARK: Ownership. What writes blocks.

    /// Writes what others have to know of a node, over what stood there, and raises the row's `live_epoch`.
    /// - Throws: `.incompatible` when the node does not support the store's feature level.
    func register(_ node: NodeRecord) throws(StoreError)

    /// Raises the epoch of each of the claim's shards and makes its incarnation the owner, in one commit.
    /// - Returns: the shards taken, in the order of the claim; those that its `from` excludes are missing.
    /// - Throws: `.unavailable` when it cannot be done now or nobody knows whether it was: claiming again is safe. Any
    ///   other error is final.
    func claim(_ claim: ShardClaim) throws(StoreError) -> [ShardOwnership]

    /// In the order of their ids.
    func nodes() async throws(StoreError) -> [NodeRecord]

    /// The row of every shard, in order.
    func shards() async throws(StoreError) -> [ShardRecord]

    // MARK: Upgrades. These block.

    func featureLevel() throws(StoreError) -> FeatureLevel

    /// Raises the feature level, unless a node lives that does not support it; never lowers it. Safe to repeat.
    ///
    /// No node that lives supports less than the store has, whoever registers at the same moment: of a registration and
    /// a raise, one is first, and the other goes by what the first has done. So it is enough to look at the level when
    /// a node registers.
    /// - Returns: false when there is such a node.
    func raiseFeatureLevel(to level: FeatureLevel) throws(StoreError) -> Bool

    // MARK: Writing. These block, and are called on committers' own threads.

    /// How many appends may be under way at a time, of different shards.
    var appendConcurrency: Int { get }

    /// Appends to any number of shards in one commit, durable when it returns. A shard whose fence does not hold is
    /// `.fenced`, and the others are stored all the same. Outcomes are in the order of `batches`, which name each shard
    /// at most once.
    /// - Throws: `.conflict` when a dedup key or a version is there already, or a batch contradicts itself; `.full` when
    ///   there is no space (in both cases nothing of any shard is stored, and the store goes on);
    ///   `.outcomeUnknown` when the commit may or may not have happened, or when the store cannot be sure any more of what
    ///   was committed before: nothing is taken of these shards until they have been claimed again. A store in a file
    ///   takes nothing at all until it is opened again.
    func append(_ batches: [ShardBatch]) throws(StoreError) -> [AppendOutcome]

    // MARK: Reading

    /// The stream rows of these keys, in their order; what does not exist is missing from the answer.
    func streams(_ keys: [[UInt8]], in shard: ShardID) async throws(StoreError) -> [StreamRow]

    /// The stream rows whose keys start with `prefix`, in key order.
    func streams(withPrefix prefix: [UInt8], in shard: ShardID, limit: Int) async throws(StoreError) -> [StreamRow]

    /// The stream rows whose keys start with one of these, each looked for in its shard: for each, at most `limit`, in key
    /// order.
    func streams(
        withPrefixes prefixes: [(shard: ShardID, prefix: [UInt8])], limit: Int
    ) async throws(StoreError) -> [[StreamRow]]

    /// The rows of one shard in key order, after `key`: for reading everything in pages.
    func streams(in shard: ShardID, after key: [UInt8]?, limit: Int) async throws(StoreError) -> [StreamRow]

    /// Streams whose `nextDue` is at or before `moment` (milliseconds since 1970), the most overdue first, then in key
    /// order.
    func due(in shard: ShardID, at moment: Int64, limit: Int) async throws(StoreError) -> [StreamRow]

    /// The smallest `nextDue` of the shard.
    func nextDue(in shard: ShardID) async throws(StoreError) -> Int64?

    /// The events that carry one of `dedupKeys`, in the order of these.
    func events(withDedupKeys dedupKeys: [[UInt8]], in shard: ShardID) async throws(StoreError) -> [StoredEvent]

    /// Answers several requests in their order, as `streams(_:in:)` and `events(withDedupKeys:in:)` would.
    func load(_ requests: [LoadRequest]) async throws(StoreError) -> [LoadAnswer]

    /// The events of one stream, oldest first, with versions greater than `version`.
    func events(
        of key: [UInt8], in shard: ShardID, after version: StreamVersion, limit: Int
    ) async throws(StoreError) -> [StoredEvent]

    /// The events of one shard in sequence order, after `sequence`.
    func events(in shard: ShardID, after sequence: LogSequence, limit: Int) async throws(StoreError) -> [StoredEvent]

    /// The position of the newest event of each shard, in shard order; the tag is of the incarnation that wrote it, 0
    /// where there is no event.
    func heads() async throws(StoreError) -> [Position]

    /// The tag of the incarnation that wrote `sequence`, 0 for `.zero`, nil beyond the head: to notice a rewound log.
    func incarnationTag(of sequence: LogSequence, in shard: ShardID) async throws(StoreError) -> UInt32?

    /// The signed originals of an event, byte for byte; nil when it has none.
    func evidence(of sequence: LogSequence, in shard: ShardID) async throws(StoreError) -> Evidence?

    /// The header segments of originals that were met last, the newest first: those by which Apple signs now are among them.
    func headerSegments(limit: Int) async throws(StoreError) -> [[UInt8]]

    /// The keys of the streams that each of these identifiers leads to, in key order, whichever form it was stored in.
    func streams(for identifiers: [SoughtIdentifier]) async throws(StoreError) -> [[[UInt8]]]

    // MARK: Inbox. These do not block, and may be repeated.

    /// Keeps what came for a shard whose owner could not be had, once; durable when it returns. What commits leave to do stands
    /// in the same table (`ShardBatch.outbox`).
    func put(_ row: InboxRow) async throws(StoreError)

    /// What is kept for these shards and not parked, the oldest first, then by dedup key.
    /// - Parameter last: where to go on: the last row of the page before.
    func inbox(of shards: [ShardID], after last: InboxRow?, limit: Int) async throws(StoreError) -> [InboxRow]

    /// Removes rows that have been applied, each only if its fence holds: a database that has failed over may have lost
    /// events of which their owner still knows, and not the rows that they were made of.
    /// - Returns: the shards of those whose fences do not hold, which stay. Their owner has to claim the shards again, and
    ///   then to judge the rows anew.
    func removeFromInbox(_ removals: [InboxRemoval]) async throws(StoreError) -> Set<ShardID>

    /// Counts one more attempt that failed; those that now have `limit` of them are parked.
    /// - Parameter moment: in milliseconds since 1970.
    func recordFailedAttempt(_ dedupKeys: [[UInt8]], parkingAt limit: Int, at moment: Int64) async throws(StoreError)

    func inboxDepth() async throws(StoreError) -> InboxDepth

    // MARK: Beside the log

    /// Replaces the signed originals of a stream by their hashes (`ContentHash.sha256(of:)`); the events stay.
    func eraseEvidence(of key: [UInt8], in shard: ShardID) async throws(StoreError)

    /// Replaces the bodies of events by others that say less; the events, and all that finds them, stay. Safe to repeat.
    /// An event that has another body by now, or does not exist, is passed over.
    func replaceBodies(_ replacements: [BodyReplacement], in shard: ShardID) async throws(StoreError)

    /// Removes the look-ups of these identifiers, in whichever form they were stored. Safe to repeat.
    func removeLookups(of identifiers: [SoughtIdentifier]) async throws(StoreError)

    /// The first of the look-ups that earlier versions wrote in clear text, in an order that stays.
    func clearLookups(limit: Int) async throws(StoreError) -> [ClearLookup]

    /// Puts hashed look-ups in the place of the first ones. One without a hash is removed. Safe to repeat; whoever looks meanwhile
    /// finds what they lead to.
    /// - Parameters:
    ///   - lookups: as `clearLookups` has given them. No node writes any by then.
    ///   - hashes: in their order.
    func replace(_ lookups: [ClearLookup], by hashes: [IdentifierHash?]) async throws(StoreError)

    /// Keeps a payload, once; throws `.full` beyond the store's `QuarantineLimits`, so that nothing is lost unnoticed.
    func quarantine(_ payload: QuarantinedPayload) async throws(StoreError)
    /// Oldest first, after `id`.
    func quarantined(after id: Int64, limit: Int) async throws(StoreError) -> [QuarantinedPayload]
    func removeQuarantined(_ id: Int64) async throws(StoreError)
    /// How many there are. Costs nothing while payloads come; where several nodes share a store it may be some seconds old.
    func quarantineDepth() async throws(StoreError) -> Int

    /// The notes of these names, such as how far something has been read; what was never written is missing. Names are
    /// told apart by their UTF-8.
    func bookmarks(_ names: [String]) async throws(StoreError) -> [String: [UInt8]]

    /// The notes whose names begin with `prefix` and come after `name`, in the order of their UTF-8, at most `limit`.
    func bookmarks(
        startingWith prefix: String, after name: String?, limit: Int
    ) async throws(StoreError) -> [Bookmark]

    /// Writes notes over what stood under their names, durable when it returns; an empty value removes. Nobody reads a
    /// part of one call's, and the last call wins: what has to be fenced belongs in the log.
    /// - Throws: `.conflict` for a name or a value beyond the bounds of `Bookmarks`, and nothing is written. After other
    ///   errors it may have been; writing again is safe.
    func setBookmarks(_ values: [String: [UInt8]]) async throws(StoreError)

    /// Writes a note unless one stands under its name, durable when it returns. Blocks.
    /// - Returns: what stands there now.
    /// - Throws: as `setBookmarks`, and for an empty value.
    func keepBookmark(_ name: String, _ value: [UInt8]) throws(StoreError) -> [UInt8]

    /// Writes a note over one that still says `old`, durable when it returns: of several that go by the same one, one does.
    /// What was removed says nothing, and stays away.
    /// - Returns: whether it was written.
    /// - Throws: `.conflict` for what is beyond the bounds of `Bookmarks`, or empty, and nothing is written. After other
    ///   errors it may have been.
    func replaceBookmark(_ name: String, _ old: [UInt8], with new: [UInt8]) async throws(StoreError) -> Bool

    /// How many streams and events there are.
    func statistics() async throws(StoreError) -> StoreStatistics

    /// Round trip to the store; throws when it cannot be read.
    func ping() async throws(StoreError)

    /// Whether what is acknowledged is where the next start will look for it; to be asked once a second. Blocks for a moment.
    /// A store without files of its own has nothing to say.
    /// - Returns: a sentence on what endangers the files while all goes on; nil when nothing does.
    /// - Throws: `.unavailable` when a file of the store was removed or replaced, for as long as that is so. Until then the
    ///   store takes and gives nothing. `.corrupt` when one is damaged, for good.
    @discardableResult func checkFiles() throws(StoreError) -> String?

    /// Writes everything out and lets go of the file or the connections. Nothing may be called afterwards.
    func close() throws(StoreError)
}

/// What never changes about a store, and what a restored backup changes.
package struct StoreIdentity: Hashable, Sendable {
    /// Drawn at random when the store was made.
    package var storeID: UInt64
    /// Raised by `store restored`.
    package var restoreGeneration: Int64
    package var shardCount: Int

    package init(storeID: UInt64, restoreGeneration: Int64, shardCount: Int) {
        self.storeID = storeID
        self.restoreGeneration = restoreGeneration
        self.shardCount = shardCount
    }

    package var shards: [ShardID] { (0..<self.shardCount).map { ShardID(rawValue: UInt16($0)) } }
}

package struct StoreStatistics: Hashable, Sendable {
    package var streams: Int
    package var events: Int

    package init(streams: Int, events: Int) {
        self.streams = streams
        self.events = events
    }
}
