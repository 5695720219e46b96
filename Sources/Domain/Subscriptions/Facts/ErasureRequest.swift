/// Asks the owner of a stream to erase identifiers from its state. The caller has erased them from its events before.
package struct ErasureRequest: Hashable, Sendable {
    package var erased: ErasedIdentifiers
    /// The links that follow from the stream's events without these identifiers.
    package var links: StreamLinks
    /// Of the stream when its events were erased. The owner refuses the request at any other version.
    package var version: Int64

    package init(_ erased: ErasedIdentifiers, links: StreamLinks, at version: Int64) {
        self.erased = erased
        self.links = links
        self.version = version
    }
}
