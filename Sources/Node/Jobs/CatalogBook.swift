import Entitlements
import EventLog
import ServiceContract
import Subscriptions
import Waiting

/// By which catalogs streams have been told, as notes that every node of the store sees:
///
///     catalogs                 the `CatalogHistory`, and the rules by which all were told last
///     catalog/FINGERPRINT/PART a catalog of it, as JSON in parts
struct CatalogBook: Sendable {
    let notes: JSONNotes

    private var store: any EventStore { self.notes.store }
    private static let name = "catalogs"
    private static let partSize = 4_000
    private static let attempts = 8

    struct Standing: Codable, Hashable {
        struct Step: Codable, Hashable {
            var catalog: UInt64
            var since: Int64
        }

        var steps: [Step]
        /// Until then a node has answered by another catalog than the newest; nil where none has.
        var behindUntil: Int64?
        /// Of the binary and the configuration by which all were told last.
        var rules: UInt32

        init(_ history: CatalogHistory, rules: UInt32) {
            self.steps = history.steps.map { Step(catalog: $0.catalog, since: $0.since.milliseconds) }
            self.rules = rules
        }

        var history: CatalogHistory? {
            CatalogHistory(
                self.steps.map {
                    CatalogHistory.Step(catalog: $0.catalog, since: Moment(milliseconds: $0.since))
                })
        }
    }

    /// nil where no node has taken up a catalog yet.
    func standing() async throws -> Standing? {
        try await self.store.bookmarks([Self.name])[Self.name].map { try JSONNotes.decode($0, Self.name) }
    }

    /// Takes up the catalog by which this node answers from now on.
    /// - Returns: by what streams have been told.
    func adopt(_ catalog: Catalog, rules: UInt32, at moment: Moment) async throws -> Standing {
        try await self.keep(catalog)
        let first = Standing(CatalogHistory(catalog: catalog.fingerprint), rules: rules)
        let note = try await self.begin(try JSONNotes.encode(first))
        guard try JSONNotes.decode(note, Self.name) as Standing != first else { return first }
        return try await self.change { (standing) throws(ServiceError) in
            guard var history = standing.history else { throw Self.damaged }
            if history.newest != catalog.fingerprint { history.adopt(catalog.fingerprint, at: moment) }
            standing.steps = Standing(history, rules: rules).steps
        }
    }

    /// Says that this node still answers by another catalog than the newest, and will until `moment`: what it tells until then was not
    /// told by the newest.
    func stayBehind(_ catalog: UInt64, until moment: Moment) async throws -> Standing {
        try await self.change { (standing) throws(ServiceError) in
            guard var history = standing.history else { throw Self.damaged }
            guard history.newest != catalog else { return }
            history.adopt(history.newest, at: moment)
            standing.steps = Standing(history, rules: standing.rules).steps
            standing.behindUntil = max(standing.behindUntil ?? 0, moment.milliseconds)
        }
    }

    private func change(
        _ body: (inout Standing) throws(ServiceError) -> Void
    ) async throws -> Standing {
        for _ in 0..<Self.attempts {
            guard let note = try await self.store.bookmarks([Self.name])[Self.name] else { throw Self.damaged }
            let before: Standing = try JSONNotes.decode(note, Self.name)
            var standing = before
            try body(&standing)
            if standing == before { return before }
            if try await self.replace(note, with: standing) { return standing }
        }
        throw ServiceError(.overloaded, "other nodes change the catalog all the time")
    }

    /// All streams have been told by this mark.
    /// - Returns: false when a node has taken up a catalog meanwhile: then some may not have been.
    func settle(_ mark: RulesMark) async throws -> Bool {
        guard let note = try await self.store.bookmarks([Self.name])[Self.name] else { return false }
        let before: Standing = try JSONNotes.decode(note, Self.name)
        guard before.history?.fingerprint == mark.history else { return false }
        let after = Standing(CatalogHistory(catalog: mark.catalog), rules: mark.rules)
        return before == after ? true : try await self.replace(note, with: after)
    }

    /// The catalogs of a history that can still be read.
    func catalogs(of history: CatalogHistory) async throws -> [UInt64: Catalog] {
        var catalogs: [UInt64: Catalog] = [:]
        for fingerprint in Set(history.steps.map(\.catalog)) {
            let parts = try await self.notes.all(startingWith: Self.prefix(of: fingerprint))
            guard !parts.isEmpty else { continue }
            let entries: [StoredEntry] = try JSONNotes.decode(parts.flatMap(\.value), Self.prefix(of: fingerprint))
            let catalog = Catalog(
                entries.map { Catalog.Entry(entitlement: $0.entitlement, products: $0.products) })
            // A part of one is no catalog.
            if catalog.fingerprint == fingerprint { catalogs[fingerprint] = catalog }
        }
        return catalogs
    }

    private struct StoredEntry: Codable {
        var entitlement: String
        var products: [String]
    }

    private func keep(_ catalog: Catalog) async throws {
        let entries = catalog.entitlements.sorted().map { name in
            StoredEntry(entitlement: name, products: (catalog.products(granting: name) ?? []).sorted())
        }
        let bytes = try JSONNotes.encode(entries)
        var parts: [String: [UInt8]] = [:]
        for (number, start) in stride(from: 0, to: bytes.count, by: Self.partSize).enumerated() {
            let part = String(100_000 + number).dropFirst()
            parts[Self.prefix(of: catalog.fingerprint) + part] = Array(bytes[start...].prefix(Self.partSize))
        }
        try await self.store.setBookmarks(parts)
    }

    private static func prefix(of fingerprint: UInt64) -> String { "catalog/\(String(fingerprint, radix: 16))/" }

    private static let damaged = ServiceError(.corrupt, "the note catalogs names none")

    private func begin(_ note: [UInt8]) async throws -> [UInt8] {
        try await DedicatedThread.run(named: "catalogs") { () throws(StoreError) in
            try self.store.keepBookmark(Self.name, note)
        }
    }

    private func replace(_ note: [UInt8], with standing: Standing) async throws -> Bool {
        try await self.store.replaceBookmark(Self.name, note, with: try JSONNotes.encode(standing))
    }
}
