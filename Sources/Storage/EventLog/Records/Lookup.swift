package import Subscriptions

/// Leads from a customer's identifier to a stream.
package struct Lookup: Hashable, Sendable {
    package var kind: IdentifierHash.Kind
    package var hash: IdentifierHash
    /// Of the stream.
    package var key: [UInt8]

    package init(kind: IdentifierHash.Kind, hash: IdentifierHash, key: [UInt8]) {
        self.kind = kind
        self.hash = hash
        self.key = key
    }
}

extension [[UInt8]] {
    /// Each key once, in key order.
    package var sortedOnce: [[UInt8]] {
        self.sorted { $0.lexicographicallyPrecedes($1) }.reduce(into: []) { if $0.last != $1 { $0.append($1) } }
    }
}

/// An identifier whose streams are looked for. Earlier versions stored look-ups in clear text, so it has both forms.
package struct SoughtIdentifier: Hashable, Sendable {
    package var kind: IdentifierHash.Kind
    package var hash: IdentifierHash
    /// Every text that stands for the same identifier.
    package var spellings: [String]

    /// - Parameter hash: of what versions with look-ups in clear text did not know.
    package init(_ hash: IdentifierHash) { self.init(kind: .customer, hash: hash, spellings: []) }

    package init(kind: IdentifierHash.Kind, hash: IdentifierHash, spellings: [String]) {
        self.kind = kind
        self.hash = hash
        self.spellings = spellings
    }
}
