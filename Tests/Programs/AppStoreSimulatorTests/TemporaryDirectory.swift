import Foundation

func withTemporaryDirectory<Result>(_ body: (String) throws -> Result) throws -> Result {
    let url = try makeTemporaryDirectory()
    defer { try? FileManager.default.removeItem(at: url) }
    return try body(url.path)
}

func withTemporaryDirectory<Result>(_ body: (String) async throws -> Result) async throws -> Result {
    let url = try makeTemporaryDirectory()
    defer { try? FileManager.default.removeItem(at: url) }
    return try await body(url.path)
}

private func makeTemporaryDirectory() throws -> URL {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("perennial-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    return url
}
