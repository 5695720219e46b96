import EventLog
import Foundation
import GRDB

/// Rows by column place. They decode with errors: a damaged file must not bring the process down.
extension Row {
    func bytes(_ index: Int) throws -> [UInt8] {
        try self.withUnsafeData(atIndex: index) { data in
            guard let data else { throw StoreError(.corrupt, "a row lacks a value that every row has") }
            return Array(data)
        }
    }

    func sequence(_ index: Int) throws -> LogSequence { .init(rawValue: try self.decode(atIndex: index)) }

    func shard(_ index: Int) throws -> ShardID {
        guard let shard = UInt16(exactly: try self.decode(Int64.self, atIndex: index)) else {
            throw StoreError.impossibleShard
        }
        return ShardID(rawValue: shard)
    }
}

extension StoreError {
    static var impossibleShard: StoreError { StoreError(.corrupt, "a row names a shard that cannot be") }
}

extension StreamRow {
    static let columns = "stream.key, stream.version, stream.seq, stream.state, stream.entitlement, stream.next_due"

    init(_ row: Columns) throws {
        self.init(
            key: try row.bytes(0), version: StreamVersion(rawValue: try row.number(1)),
            sequence: LogSequence(rawValue: try row.number(2)), state: try row.bytes(3), entitlement: try row.bytes(4),
            nextDue: try row.number(orNull: 5))
    }
}

extension StoredEvent {
    static let columns = """
        event.shard_id, event.seq, event.epoch, stream.key, event.version, event.kind, event.dedup_key, event.at, \
        event.body, event.entitlement
        """

    init(_ row: Columns) throws {
        self.init(
            shard: try row.shard(0), sequence: LogSequence(rawValue: try row.number(1)),
            epoch: Epoch(rawValue: try row.number(2)), key: try row.bytes(3),
            version: StreamVersion(rawValue: try row.number(4)), kind: try row.text(5), dedupKey: try row.bytes(6),
            at: try row.number(7), body: try row.bytes(8), entitlement: try row.bytes(9))
    }
}

extension [UInt8] {
    var data: Data { Data(self) }
}
