package import Entitlements
package import EventLog
import Ownership
import Subscriptions
import Synchronization

/// What whoever follows the stream tells the mirror.
extension EntitlementMirror {
    /// Takes over the row of a stream, unless there is one of the same version or a newer one: neither order nor
    /// repetition matter. A reader has the old row or the new one. Streams that are not checked are left out.
    /// - Parameters:
    ///   - key: as `StreamKey.bytes` writes it.
    ///   - entitlement: as `EntitlementRow.encoded` writes it, made under the rules of the owner.
    ///   - shard: that of the key's id.
    ///   - replacing: what the row counts against.
    /// - Returns: whether anything has changed.
    @discardableResult
    package func apply(
        key: [UInt8], entitlement: [UInt8], in shard: ShardID, _ replacing: ReplacedRow = .olderVersion
    ) throws(MirrorError) -> Bool {
        // Streams of other kinds have no row.
        if let kind = key.first, StreamKind(rawValue: kind)?.givesAccess != true { return false }
        let row: EntitlementRow
        do { row = try EntitlementRow(decoding: entitlement) } catch {
            throw MirrorError(.malformed, "the row of a stream cannot be read: \(error)")
        }
        return try self.apply(key: key, row, in: shard, replacing)
    }

    /// The same with a row that has been read.
    @discardableResult
    package func apply(
        key: [UInt8], _ row: EntitlementRow, in shard: ShardID, _ replacing: ReplacedRow = .olderVersion
    ) throws(MirrorError) -> Bool {
        guard Int(shard.rawValue) < self.map.shardCount, (0...HeadWord.maximumVersion).contains(row.version),
            let kind = key.first.flatMap(StreamKind.init(rawValue:)),
            let idEnd = key.firstIndex(of: 0), key[(idEnd + 1)...].contains(0)
        else { throw MirrorError(.malformed, "the key or the version of a stream cannot be read") }
        guard kind.givesAccess else { return false }
        let row = self.names.number(row)
        guard row.phases.allSatisfy({ $0.standing <= Int(UInt32.max) }) else {
            throw MirrorError(.tooManyNames, "there are too many products for a mirror")
        }
        let app = try self.names.number(ofApp: key[(idEnd + 1)...])
        return key[1..<idEnd].withUnsafeBytes { id in
            let name = StreamName(MirrorID(utf8: id), kind, app: app, shard: Int(shard.rawValue))
            let writer = self.writers[Int(name.hash >> UInt64(64 - Self.segmentLogarithm))]
            return writer.segment.withLock { $0.apply(id, name, row, replacing) }
        }
    }

    /// All that was committed to `shard` before `moment` has been taken over. Earlier than it was told before changes
    /// nothing. Of each shard one caller at a time.
    package func setCurrent(_ shard: ShardID, asOf moment: ContinuousClock.Instant) {
        self.progress.setCurrent(Int(shard.rawValue), upTo: self.nanoseconds(moment))
    }

    /// All up to `position` has been taken over. Of each shard one caller at a time.
    package func setPosition(_ position: Position) { self.progress.setPosition(position) }

    /// How far a shard has been taken over. To be read before what is answered by it: an answer is not older than it.
    package func position(of shard: ShardID) -> Position { self.progress.position(of: shard) }

    /// Whether `shard` has been current at some moment, and not begun again since: what is not there was nowhere then.
    package func hasAll(of shard: ShardID) -> Bool {
        self.progress.current(Int(shard.rawValue)) != ShardProgress.never
    }

    /// Whether that holds of every shard.
    package var hasAll: Bool {
        (0..<self.map.shardCount).allSatisfy { self.progress.current($0) != ShardProgress.never }
    }

    /// Whether some shard has not been current for longer than answers may be.
    package func isStale(at time: MirrorTime) -> Bool {
        (0..<self.map.shardCount).contains { self.progress.isStale($0, before: time.bound) }
    }

    /// Whether one of these shards has not been current for longer than answers may be.
    package func isStale(_ shards: some Sequence<ShardID>, at time: MirrorTime) -> Bool {
        shards.contains { self.progress.isStale(Int($0.rawValue), before: time.bound) }
    }

    /// For how long the shard that was current last has not been; since the mirror was made, where one never was.
    package func age(at now: ContinuousClock.Instant) -> Duration {
        let oldest = (0..<self.map.shardCount).lazy.map { max(0, self.progress.current($0)) }.min() ?? 0
        return .nanoseconds(self.nanoseconds(now) - oldest)
    }

    /// The log of `shard` is not what was mirrored (`storeRewound`). Answers stay as they are, and say that they are stale;
    /// the next row of each of its streams is believed whatever its version. Of each shard one caller at a time.
    package func beginRestart(of shard: ShardID) {
        self.progress.setCurrent(Int(shard.rawValue), upTo: ShardProgress.never)
        self.progress.setPosition(Position(shard: shard, sequence: .zero, incarnationTag: 0))
        self.update(shard) { head in
            var head = head
            head.isDoubted = true
            return head
        }
    }

    /// All streams of `shard` have been taken over since `beginRestart`: the others are not.
    package func endRestart(of shard: ShardID) { self.update(shard) { $0.isDoubted ? .nothing : nil } }

    private func update(_ shard: ShardID, _ body: (HeadWord) -> HeadWord?) {
        for writer in self.writers {
            writer.segment.withLock { segment in
                segment.update { name, head in
                    name.shard == Int(shard.rawValue) && !head.isGone ? body(head) : nil
                }
            }
        }
    }
}

extension StreamName {
    init(_ id: MirrorID, _ kind: StreamKind, app: UInt32, shard: Int) {
        let number: UInt64? = if case .decimal(let number) = id { number } else { nil }
        self.init(number: number, hash: id.hash(kind.rawValue), kind: kind, app: app, shard: shard)
    }
}
