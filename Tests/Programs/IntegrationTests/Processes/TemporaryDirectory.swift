import Foundation

/// A directory of its own for one test; gone when the value is.
final class TemporaryDirectory: Sendable {
    let path: String

    init() throws {
        self.path = NSTemporaryDirectory() + "perennial-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: self.path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: self.path) }

    func file(_ name: String) -> String { self.path + "/" + name }

    @discardableResult
    func write(_ text: String, to name: String) throws -> String {
        try text.write(toFile: self.file(name), atomically: true, encoding: .utf8)
        return self.file(name)
    }

    @discardableResult
    func write(_ bytes: [UInt8], to name: String) throws -> String {
        try Data(bytes).write(to: URL(fileURLWithPath: self.file(name)))
        return self.file(name)
    }
}
