/// Where a node keeps its log.
package enum StoreLocation: Hashable, Sendable, CustomStringConvertible {
    /// The path of an SQLite file: for one node.
    case sqlite(String)
    /// A connection string for libpq, which may hold a password: for any number of nodes.
    case postgres(String)

    /// For people.
    package var description: String {
        switch self {
        case .sqlite(let path): path
        case .postgres(let url): url.maskingPasswords
        }
    }
}
