import Entitlements
import EventLog
import ServiceContract
import Subscriptions
import Waiting

/// By which catalogs streams have been told, as notes that every node of the store sees:
///
///     catalogs                 the `CatalogHistory`, and the rules by which all were told last
///     catalog/FINGERPRINT/PART a catalog, as JSON in parts; never removed
///     catalog-of/NODE          the fingerprint of the catalog by which a node answers, or did when it ran last
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
        /// Of the binary and the configuration by which all were told last, and when that was.
        var rules: UInt32
        var settled: Int64?

        init(_ history: CatalogHistory, rules: UInt32) {
            self.steps = []
            self.rules = rules
            self.history = history
        }

        var history: CatalogHistory? {
            get {
                CatalogHistory(
                    self.steps.map {
                        CatalogHistory.Step(catalog: $0.catalog, since: Moment(milliseconds: $0.since))
                    })
            }
            set {
                self.steps = newValue?.steps.map { Step(catalog: $0.catalog, since: $0.since.milliseconds) } ?? []
            }
        }
    }

    /// nil where no node has taken up a catalog yet.
    func standing() async throws -> Standing? {
        try await self.store.bookmarks([Self.name])[Self.name].map { try JSONNotes.decode($0, Self.name) }
    }

    /// Takes up the catalog by which a node answers from now on.
    /// - Returns: by what streams have been told.
    func adopt(_ catalog: Catalog, of node: String, rules: UInt32, at moment: Moment) async throws -> Standing {
        let fingerprint = catalog.fingerprint
        try await self.keep(catalog)
        try await self.store.setBookmarks([Self.name(of: node): try JSONNotes.encode(fingerprint)])
        try await self.begin(
            try JSONNotes.encode(Standing(CatalogHistory(catalog: fingerprint), rules: rules)))
        return try await self.change { (standing, history) in history.adopt(fingerprint, at: moment) }
    }

    /// Says that a node still answers by another catalog than the newest, and will until `moment`.
    func stayBehind(_ catalog: UInt64, until moment: Moment) async throws -> Standing {
        try await self.change { (standing, history) in
            guard history.newest != catalog else { return }
            history.postponeNewest(
                until: moment, behind: catalog, settled: Moment(milliseconds: standing.settled ?? .min))
            standing.behindUntil = max(standing.behindUntil ?? 0, moment.milliseconds)
        }
    }

    /// Whether one of these nodes answers by a catalog.
    func isHeld(_ catalog: UInt64, by nodes: [String]) async throws -> Bool {
        try await self.store.bookmarks(nodes.map(Self.name)).contains { name, note in
            try JSONNotes.decode(note, name) as UInt64 == catalog
        }
    }

    private static func name(of node: String) -> String { "catalog-of/\(node)" }

    private func change(
        _ body: (inout Standing, inout CatalogHistory) -> Void
    ) async throws -> Standing {
        for _ in 0..<Self.attempts {
            guard let note = try await self.store.bookmarks([Self.name])[Self.name] else { throw Self.damaged }
            let before: Standing = try JSONNotes.decode(note, Self.name)
            var standing = before
            guard var history = before.history else { throw Self.damaged }
            body(&standing, &history)
            standing.history = history
            if standing == before { return before }
            if try await self.replace(note, with: standing) { return standing }
        }
        throw ServiceError(.overloaded, "other nodes change the catalog all the time")
    }

    /// All streams have been told by this mark.
    /// - Returns: false when a node has taken up a catalog meanwhile: then some may not have been.
    func settle(_ mark: RulesMark, at moment: Moment) async throws -> Bool {
        guard let note = try await self.store.bookmarks([Self.name])[Self.name] else { return false }
        let before: Standing = try JSONNotes.decode(note, Self.name)
        guard before.history?.fingerprint == mark.history else { return false }
        var after = Standing(CatalogHistory(catalog: mark.catalog), rules: mark.rules)
        after.settled = moment.milliseconds
        return try await self.replace(note, with: after)
    }

    /// The catalogs of a history that can still be read.
    func catalogs(of history: CatalogHistory) async throws -> [UInt64: Catalog] {
        var catalogs: [UInt64: Catalog] = [:]
        for fingerprint in Set(history.steps.map(\.catalog)) {
            let parts = try await self.store.allBookmarks(startingWith: Self.prefix(of: fingerprint))
            let text = parts.flatMap(\.value)
            guard let entries = try? JSONNotes.decode(text, Self.name) as [StoredEntry] else { continue }
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

    /// Unless there is one.
    private func begin(_ note: [UInt8]) async throws {
        _ = try await DedicatedThread.run(named: "catalogs") { () throws(StoreError) in
            try self.store.keepBookmark(Self.name, note)
        }
    }

    private func replace(_ note: [UInt8], with standing: Standing) async throws -> Bool {
        try await self.store.replaceBookmark(Self.name, note, with: try JSONNotes.encode(standing))
    }
}
