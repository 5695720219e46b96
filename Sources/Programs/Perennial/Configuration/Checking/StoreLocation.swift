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

extension StoreLocation {
    /// What is wrong with a URL; its text is left out, which may hold a password.
    package struct Mistake: Error {
        package let message: String
    }

    /// - Parameter url: as `store.url` has it.
    package init(url: String) throws(Mistake) {
        guard let separator = url.firstRange(of: "://") else {
            throw Mistake(message: "expected a URL such as sqlite:///var/lib/perennial/perennial.db")
        }
        let scheme = url[..<separator.lowerBound]
        switch scheme {
        case "sqlite":
            let file = String(url[separator.upperBound...])
            guard !file.isEmpty, !file.hasSuffix("/") else { throw Mistake(message: "names no file") }
            self = .sqlite(file)
        case "postgresql", "postgres":
            self = .postgres(url)
        default:
            throw Mistake(message: "unknown scheme \(scheme); a log is kept in sqlite:// or postgresql://")
        }
    }
}
