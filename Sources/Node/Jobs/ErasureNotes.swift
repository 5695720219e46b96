import EventLog
import Subscriptions

/// Whom an `erase` job erases, in clear text for as long as it runs: a note `erase/JOB/LETTER/HASH` for each customer (`c`), token (`t`) and
/// app transaction (`a`). They are only added to, since several passes of one job may run at once.
struct ErasureNotes: Sendable {
    let notes: JSONNotes
    let hashing: IdentifierKey

    private static func prefix(_ job: String) -> String { "erase/\(job)/" }

    /// The notes that say these, by their names.
    func notes(_ erased: ErasedIdentifiers, of job: String) -> [String: [UInt8]] {
        let customers = erased.customers.map { ("c", self.hashing.hash(.customer, $0.rawValue), $0.rawValue) }
        let identifiers = erased.identifiers.map { identifier in
            (identifier.kind == .appAccountToken ? "t" : "a", self.hashing.hash(identifier), identifier.text)
        }
        return Dictionary(
            uniqueKeysWithValues: (customers + identifiers).map { letter, hash, text in
                ("\(Self.prefix(job))\(letter)/\(hash.hexadecimal)", Array(text.utf8))
            })
    }

    func add(_ erased: ErasedIdentifiers, of job: String) async throws {
        try await self.notes.store.setBookmarks(self.notes(erased, of: job))
    }

    /// nil where there are none.
    func read(_ job: String) async throws -> ErasedIdentifiers? {
        let found = try await self.notes.store.allBookmarks(startingWith: Self.prefix(job))
        guard !found.isEmpty else { return nil }
        var erased = ErasedIdentifiers()
        for note in found {
            let text = String(decoding: note.value, as: UTF8.self)
            switch note.name.dropFirst(Self.prefix(job).count).first {
            case "c": erased.customers.insert(CustomerID(stored: text))
            case "t": if let token = AccountToken(text) { erased.identifiers.insert(.token(token)) }
            default: erased.identifiers.insert(.account(text))
            }
        }
        return erased
    }

    func remove(_ job: String) async throws {
        try await self.notes.remove(try await self.notes.store.allBookmarks(startingWith: Self.prefix(job)).map(\.name))
    }
}
