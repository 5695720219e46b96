/// A store that is read as a whole, in order to live on in another engine. Nobody else writes it meanwhile. Its calls
/// block.
package protocol StoreSource {
    var identity: StoreIdentity { get }

    /// Which event kinds and state formats it may hold.
    func featureLevel() throws(StoreError) -> FeatureLevel

    func tally() throws(StoreError) -> StoreTally

    /// Hands over all rows of a table, in pages.
    func read(_ table: StoreTable, _ body: (TablePage) throws(StoreError) -> Void) throws(StoreError)

    /// The highest number that a numbered table has ever given to a row, though that row may be gone.
    func lastNumber(of table: StoreTable) throws(StoreError) -> Int64

    /// Durable when it returns: from then on the store refuses to open, and says that it went to `destination`.
    func markMoved(to destination: String) throws(StoreError)
}
