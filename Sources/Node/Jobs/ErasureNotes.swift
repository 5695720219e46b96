import EventLog
import Subscriptions

/// Whom an `erase` job erases, in clear text for as long as it runs: notes `erase/JOB/NUMBER`.
struct ErasureNotes: Sendable {
    let notes: JSONNotes

    private struct Part: Codable {
        var customers: [String] = []
        var tokens: [String] = []
        var accounts: [String] = []
    }

    /// Ids of 128 bytes, which JSON may make six times as long, fit into a note.
    private static let limit = 5

    private static func prefix(_ job: String) -> String { "erase/\(job)/" }

    /// All of it, or nothing when it throws.
    func write(_ erased: ErasedIdentifiers, of job: String) async throws {
        var parts: [Part] = []
        func add(_ texts: [String], to list: WritableKeyPath<Part, [String]>) {
            for start in stride(from: 0, to: texts.count, by: Self.limit) {
                var part = Part()
                part[keyPath: list] = Array(texts[start..<min(start + Self.limit, texts.count)])
                parts.append(part)
            }
        }
        add(erased.customers.map(\.rawValue).sorted(), to: \.customers)
        add(erased.identifiers.filter { $0.kind == .appAccountToken }.map(\.text).sorted(), to: \.tokens)
        add(erased.identifiers.filter { $0.kind == .appTransaction }.map(\.text).sorted(), to: \.accounts)
        let values = try parts.enumerated().map { number, part in
            (Self.prefix(job) + String(1_000 + number), try JSONNotes.encode(part))
        }
        try await self.notes.store.setBookmarks(Dictionary(uniqueKeysWithValues: values))
    }

    /// nil where there are none.
    func read(_ job: String) async throws -> ErasedIdentifiers? {
        let found = try await self.notes.store.allBookmarks(startingWith: Self.prefix(job))
        guard !found.isEmpty else { return nil }
        var erased = ErasedIdentifiers()
        for note in found {
            let part: Part = try JSONNotes.decode(note.value, "erase/\(job)")
            erased.customers.formUnion(part.customers.map(CustomerID.init(stored:)))
            erased.identifiers.formUnion(part.tokens.compactMap(AccountToken.init).map(RegistrableIdentifier.token))
            erased.identifiers.formUnion(part.accounts.map(RegistrableIdentifier.account))
        }
        return erased
    }

    func remove(_ job: String) async throws {
        try await self.notes.remove(try await self.notes.store.allBookmarks(startingWith: Self.prefix(job)).map(\.name))
    }
}
