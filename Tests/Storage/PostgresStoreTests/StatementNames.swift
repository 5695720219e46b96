import Foundation
import Testing

/// What the store's statements are called.
enum StatementNames {
    /// The names of all statements that the sources prepare, with `…` for what is put into a name.
    /// - Parameter folder: whose statements are left out.
    static func inSources(without folder: String? = nil) throws -> Set<String> {
        let sources = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Sources/Storage/PostgresStore").standardized
        let paths = try #require(FileManager.default.enumerator(atPath: sources.path)).compactMap { $0 as? String }
        let files = paths.filter { path in
            path.hasSuffix(".swift") && !(folder.map { path.hasPrefix("\($0)/") } ?? false)
        }
        return try files.reduce(into: []) { names, path in
            let text = try String(contentsOf: sources.appending(path: path), encoding: .utf8)
            for name in text.matches(of: #/PreparedStatement\(\s*"([^"]+)"/#) {
                names.insert(String(name.output.1.replacing(#/\\\(.*\)/#, with: "…")))
            }
        }
    }
}
