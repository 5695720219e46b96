import Foundation
import Testing

/// Compares the catalog's page about the architecture with the files that it names.
@Suite struct ArchitecturePageTests {
    private let sources: URL
    private let page: String

    init() throws {
        self.sources = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../Sources")
        self.page = try String(
            contentsOf: self.sources.appending(path: "Programs/Perennial/Perennial.docc/Architecture.md"),
            encoding: .utf8)
    }

    @Test func `a notification passes at most 25 files from the route to the store, and all of them exist`() throws {
        let section = try #require(
            self.page.firstMatch(of: #/(?s)## How a notification becomes a durable event\n(.+?)\n## /#)?.output.1)
        let files = section.matches(of: #/`([^`]+\.swift)`/#).map { String($0.output.1) }
        #expect((15...25).contains(files.count), "\(files.count)")
        #expect(Set(files).count == files.count)
        for file in files {
            #expect(FileManager.default.fileExists(atPath: self.sources.appending(path: file).path), "\(file)")
        }
    }

    @Test func `each file and folder that the page names exists`() {
        let root = self.sources.appending(path: "..")
        for match in self.page.matches(of: #/`((?:Sources|Tests|proto|deploy)\/[^` ]*)`/#) {
            let path = root.appending(path: String(match.output.1)).path
            #expect(FileManager.default.fileExists(atPath: path), "\(match.output.1)")
        }
    }
}
