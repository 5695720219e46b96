/// Asks that a stream forget identifiers. Whoever asks has taken them out of its events first.
package struct ErasureRequest: Hashable, Sendable {
    package var erased: ErasedIdentifiers
    /// What the stream's events come to without them.
    package var links: StreamLinks
    /// Of the stream, whose events up to here name them no more. The owner refuses the request at any other version.
    package var version: Int64

    package init(_ erased: ErasedIdentifiers, links: StreamLinks, at version: Int64) {
        self.erased = erased
        self.links = links
        self.version = version
    }
}
