/// Some rows of a table, column by column, so that a store can be copied in bounded memory.
package struct TablePage: Sendable {
    /// Of each column of `StoreTable.numbers` its values, and so on; all are as long.
    package var numbers: [[Int64?]]
    package var texts: [[String?]]
    package var blobs: [[[UInt8]?]]
    package var rows = 0
    /// Of what has no fixed size.
    package var bytes = 0

    package init(of table: StoreTable) {
        self.numbers = table.numbers.map { _ in [] }
        self.texts = table.texts.map { _ in [] }
        self.blobs = table.blobs.map { _ in [] }
    }

    /// Enough for one round trip.
    package var isFull: Bool { self.rows >= 4096 || self.bytes >= 1 << 20 }
}
