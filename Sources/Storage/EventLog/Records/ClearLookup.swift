/// A look-up as earlier versions wrote it: in clear text.
package struct ClearLookup: Hashable, Sendable {
    /// `IdentifierHash.Kind`, unless a version wrote what this one does not know.
    package var kind: Int
    /// UTF-8.
    package var value: [UInt8]
    /// The store's own number of the stream.
    package var stream: Int64

    package init(kind: Int, value: [UInt8], stream: Int64) {
        self.kind = kind
        self.value = value
        self.stream = stream
    }
}
