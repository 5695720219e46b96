import EventLog
import GRDB

/// The numbers of the header segments in `jws_header`: each segment is stored once, by its hash.
struct HeaderNumbers {
    typealias Numbered = (segment: [UInt8], number: Int64)

    /// Apple signs with a handful of chains at a time. Beyond this the table is asked again.
    private static let limit = 16

    /// A list, since comparing 4 KB is a tenth of the work of hashing them.
    private var known: [Numbered] = []

    /// The number of `segment`, which gets one when it is new. What a transaction learns is for that transaction alone
    /// until `learn` says that it was committed.
    func number(of segment: [UInt8], in db: Database, learned: inout [Numbered]) throws -> Int64 {
        if let numbered = self.known.first(where: { $0.segment == segment }) { return numbered.number }
        if let numbered = learned.first(where: { $0.segment == segment }) { return numbered.number }
        let hash = ContentHash.sha256(segment).data
        let insert = try db.cachedStatement(sql: "INSERT OR IGNORE INTO jws_header (hash, segment) VALUES (?, ?)")
        try insert.execute(arguments: [hash, segment.data])
        let select = try db.cachedStatement(sql: "SELECT id FROM jws_header WHERE hash = ?")
        guard let number = try Int64.fetchOne(select, arguments: [hash]) else {
            throw StoreError(.corrupt, "a header segment is not found under its hash")
        }
        if learned.count < Self.limit { learned.append((segment, number)) }
        return number
    }

    mutating func learn(_ learned: [Numbered]) {
        guard !learned.isEmpty else { return }
        self.known = learned + self.known.prefix(Self.limit - learned.count)
    }
}
