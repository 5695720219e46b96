import Foundation

/// Where a demo keeps what it needs to go on: the database, the simulation, and perhaps a token.
struct DemoFolder {
    let path: String

    var database: String { self.file("perennial.db") }
    var simulation: String { self.file("simulator") }
    var tokenFile: String { self.file("demo.token") }

    init(path: String) throws {
        self.path = path
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            throw CommandFailure("\(path): \(FileProblem(error).sentence)")
        }
    }

    func write(token: APIToken) throws {
        let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
        guard
            FileManager.default.createFile(
                atPath: self.tokenFile, contents: Data(token.text.utf8), attributes: attributes)
        else { throw CommandFailure("\(self.tokenFile): cannot be written") }
    }

    private func file(_ name: String) -> String { (self.path as NSString).appendingPathComponent(name) }
}
