import Foundation

/// Where a demo keeps what it needs to go on: the database, the simulation, and perhaps a token.
struct DemoFolder {
    let path: String

    var database: String { self.file("perennial.db") }
    var simulation: String { self.file("simulator") }
    /// Absolute: other terminals are in other folders.
    var tokenFile: String { URL(fileURLWithPath: self.file("demo.token")).path }
    private var totals: String { self.file("demo.json") }

    init(path: String) throws {
        self.path = path
        var isFolder: ObjCBool = false
        if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), !isFolder.boolValue {
            throw CommandFailure("\(path): is no folder")
        }
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            throw CommandFailure("\(path): \(FileProblem(error).sentence)")
        }
        guard FileManager.default.isWritableFile(atPath: path) else { throw CommandFailure("\(path): no permission") }
    }

    func write(token: APIToken) throws {
        let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
        guard
            FileManager.default.createFile(
                atPath: self.tokenFile, contents: Data(token.text.utf8), attributes: attributes)
        else { throw CommandFailure("\(self.tokenFile): cannot be written") }
    }

    /// What earlier runs have counted; nothing when that cannot be read.
    func readTotals() -> DemoTotals {
        let data = FileManager.default.contents(atPath: self.totals)
        return data.flatMap { try? JSONDecoder().decode(DemoTotals.self, from: $0) } ?? DemoTotals()
    }

    /// What cannot be written now can be written next time.
    func write(_ totals: DemoTotals) {
        try? JSONEncoder().encode(totals).write(to: URL(fileURLWithPath: self.totals), options: .atomic)
    }

    private func file(_ name: String) -> String { (self.path as NSString).appendingPathComponent(name) }
}
