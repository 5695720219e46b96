import Foundation

/// What the beginning of a database file says: <https://sqlite.org/fileformat.html>, 1.3.
struct FileHeader {
    let pageSize: Int
    /// How long the file has to be at least.
    let size: Int
    /// `PRAGMA user_version`, which SQLite leaves to the application.
    let mark: Int32

    private static let length = 100

    /// - Parameter descriptor: is only read, at its own place: closing one would drop SQLite's locks.
    /// - Returns: nil when there is no whole header to be read.
    init?(of descriptor: Int32) {
        var bytes = [UInt8](repeating: 0, count: Self.length)
        guard unsafe pread(descriptor, &bytes, Self.length, 0) == Self.length else { return nil }
        func number(_ place: Int, _ width: Int) -> UInt32 {
            bytes[place..<place + width].reduce(0) { $0 << 8 | UInt32($1) }
        }
        let pageSize = number(16, 2)
        // What does not fit into two bytes is written as 1.
        self.pageSize = pageSize == 1 ? 65536 : Int(pageSize)
        self.size = Int(number(28, 4)) * self.pageSize
        self.mark = Int32(bitPattern: number(60, 4))
    }
}
