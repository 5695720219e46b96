import EventLog
import Synchronization

/// The numbers of the header segments in `jws_header`: each segment is stored once, by its hash. New ones are stored in
/// a statement of their own before the append that needs them, so that whatever is known here is committed.
final class HeaderNumbers: Sendable {
    fileprivate typealias Numbered = (segment: [UInt8], number: Int64)

    /// Apple signs with a handful of chains at a time. Beyond this the table is asked again.
    private static let limit = 16

    private struct Known {
        /// How many sessions had been lost. What is new after that may be one with another database, where these numbers
        /// stand for other segments, or for none.
        var losses = 0
        /// A list, since comparing 4 KB is a tenth of the work of hashing them.
        var numbers: [Numbered] = []
    }

    private let known = Mutex(Known())

    /// The numbers of the segments that these batches' evidence refers to.
    /// - Parameter losses: of sessions, before `session` was used.
    func numbers(
        for batches: [ShardBatch], in session: inout Session, after losses: Int
    ) throws(StatementFailure) -> Numbers {
        var numbers = Numbers(
            known: self.known.withLock { known in
                if known.losses < losses { known = Known(losses: losses) }
                return known.losses == losses ? known.numbers : []
            })
        var missing: [[UInt8]: [UInt8]] = [:]
        for segment in batches.lazy.flatMap(\.events).compactMap(\.evidence).flatMap(\.headers)
        where numbers.number(of: segment) == nil && missing[segment] == nil {
            missing[segment] = ContentHash.sha256(segment)
        }
        guard !missing.isEmpty else { return numbers }
        let learned = try Self.store(missing, in: &session)
        for (segment, number) in learned { numbers.learned[segment] = number }
        self.known.withLock { known in
            guard known.losses == losses else { return }
            known.numbers = Array((learned + known.numbers).prefix(Self.limit))
        }
        return numbers
    }

    /// Of the segments of one append.
    struct Numbers {
        fileprivate var known: [Numbered]
        fileprivate var learned: [[UInt8]: Int64] = [:]

        func number(of segment: [UInt8]) -> Int64? {
            self.known.first { $0.segment.isSame(as: segment) }?.number
                ?? (self.learned.isEmpty ? nil : self.learned[segment])
        }
    }

    /// - Parameter segments: with their hashes.
    private static func store(
        _ segments: [[UInt8]: [UInt8]], in session: inout Session
    ) throws(StatementFailure) -> [Numbered] {
        // In the order of the hashes: of two that store the same ones, neither waits for the other in a circle.
        let missing = segments.sorted { $0.value.lexicographicallyPrecedes($1.value) }
        var insert = Parameters()
        insert.add(blobs: missing.map(\.value))
        insert.add(blobs: missing.map(\.key))
        _ = try session.run(Self.insert, insert)
        var select = Parameters()
        select.add(blobs: missing.map(\.value))
        let result = try session.run(Self.select, select)
        let found = try result.rows { row throws(StoreError) in (hash: try row.bytes(0), number: try row.number(1)) }
        let numbers = Dictionary(found.map { ($0.hash, $0.number) }, uniquingKeysWith: { $1 })
        return try missing.map { segment, hash throws(StatementFailure) in
            guard let number = numbers[hash] else {
                throw StatementFailure(.refused(.corrupt), "a header segment is not found under its hash")
            }
            return (segment, number)
        }
    }

    private static let insert = PreparedStatement(
        "header_insert",
        """
        INSERT INTO jws_header (hash, segment) SELECT hash, segment FROM unnest($1::bytea[], $2::bytea[])
            AS new (hash, segment)
        ON CONFLICT (hash) DO NOTHING
        """)

    private static let select = PreparedStatement(
        "header_numbers", "SELECT hash, id FROM jws_header WHERE hash = ANY ($1::bytea[])")
}
