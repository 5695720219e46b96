import EventLog
import Subscriptions

/// One entry of the log of tombstones: a line with what it does, the job and a moment, and a line for each hash.
///
///     bury 9f2c61d04b7a3e58 1760000000000
///     c 00112233445566778899aabbccddeeff
///     i ffeeddccbbaa99887766554433221100
struct TombstoneNote: Equatable {
    enum Action: String {
        case bury, finish, lift
    }

    enum Line: Equatable {
        case customer(IdentifierHash)
        case identifier(IdentifierHash)

        var hash: IdentifierHash {
            switch self {
            case .customer(let hash), .identifier(let hash): hash
            }
        }
    }

    static let prefix = "tombstone/"
    /// So many lines fit into a note.
    static let limit = 100

    var action: Action
    /// Empty of `lift`.
    var job: String
    /// When the note was written. Of `lift`: purchases from this moment on keep the identifier.
    var at: Moment
    var lines: [Line]

    init(_ action: Action, job: String = "", at: Moment, lines: [Line] = []) {
        self.action = action
        self.job = job
        self.at = at
        self.lines = lines
    }

    /// In the order of the numbers.
    static func name(_ number: Int) -> String {
        let digits = String(number)
        return Self.prefix + String(repeating: "0", count: max(0, 12 - digits.count)) + digits
    }

    var bytes: [UInt8] {
        let lines = self.lines.map { line in
            switch line {
            case .customer(let hash): "c \(hash.hexadecimal)"
            case .identifier(let hash): "i \(hash.hexadecimal)"
            }
        }
        let head = "\(self.action.rawValue) \(self.job) \(self.at.milliseconds)"
        return Array(([head] + lines).joined(separator: "\n").utf8)
    }

    /// - Throws: `.corrupt`.
    init(_ note: Bookmark) throws(StoreError) {
        let lines = String(decoding: note.value, as: UTF8.self).split(separator: "\n")
        let head = lines.first.map { $0.split(separator: " ", omittingEmptySubsequences: false) } ?? []
        guard head.count == 3, let action = Action(rawValue: String(head[0])), let at = Int64(head[2]) else {
            throw StoreError(.corrupt, "the note \(note.name) says nothing of a deleted customer")
        }
        self.init(action, job: String(head[1]), at: Moment(milliseconds: at))
        for line in lines.dropFirst() {
            guard let hash = IdentifierHash(hexadecimal: line.dropFirst(2)) else {
                throw StoreError(.corrupt, "the note \(note.name) has a line that is no hash")
            }
            self.lines.append(line.first == "c" ? .customer(hash) : .identifier(hash))
        }
    }
}
