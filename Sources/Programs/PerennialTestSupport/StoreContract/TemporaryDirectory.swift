package import Foundation

/// A directory of its own for one test; removed with what is in it when the test lets go of it.
package final class TemporaryDirectory: Sendable {
    package let url: URL

    package init() throws {
        self.url = FileManager.default.temporaryDirectory.appending(path: "perennial-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: self.url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: self.url) }

    package func path(_ name: String) -> String { self.url.appending(path: name).path }
}
