extension IdentifierKey {
    /// Of the note that holds it.
    private static let name = "identifiers.key"

    /// The store's; the first node that asks draws it.
    /// - Throws: `.corrupt` when what is kept is no key; what reading and writing throws.
    package init(of store: any EventStore) throws(StoreError) {
        var random = SystemRandomNumberGenerator()
        let drawn = (0..<32).map { _ in UInt8.random(in: 0...255, using: &random) }
        guard let key = IdentifierKey(try store.keepBookmark(Self.name, drawn)) else {
            throw StoreError(.corrupt, "the note \(Self.name) is not a key of 32 bytes")
        }
        self = key
    }
}
