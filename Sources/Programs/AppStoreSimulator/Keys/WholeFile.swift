import Foundation

/// Writes whole files: a reader sees the old contents or the new, never a part.
enum WholeFile {
    /// - Parameter isSecret: readable by its owner only, from the first byte on.
    static func write(_ contents: Data, to url: URL, isSecret: Bool = false) throws {
        let new = url.appendingPathExtension("new")
        try? FileManager.default.removeItem(at: new)
        let created = FileManager.default.createFile(
            atPath: new.path, contents: nil, attributes: [.posixPermissions: isSecret ? 0o600 : 0o644])
        guard created else { throw CocoaError(.fileWriteNoPermission) }
        let file = try FileHandle(forWritingTo: new)
        try file.write(contentsOf: contents)
        try file.synchronize()
        try file.close()
        guard rename(new.path, url.path) == 0 else { throw CocoaError(.fileWriteUnknown) }
    }
}
