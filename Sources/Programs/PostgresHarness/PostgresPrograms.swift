import Foundation

/// Something that tests need is missing, or does not do what it should.
package struct HarnessError: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}

/// Where PostgreSQL's programs are, and as whom they run: the server refuses root.
struct PostgresPrograms: Sendable {
    /// `PERENNIAL_TEST_POSTGRES_BIN`, or the newest of Debian's.
    private let directory: String
    private let isRoot = getuid() == 0

    init() throws {
        let root = "/usr/lib/postgresql"
        let versions = ((try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []).compactMap { Int($0) }
        let directories =
            [ProcessInfo.processInfo.environment["PERENNIAL_TEST_POSTGRES_BIN"]].compactMap(\.self)
            + versions.sorted(by: >).map { "\(root)/\($0)/bin" }
        guard
            let directory = directories.first(where: { FileManager.default.isExecutableFile(atPath: "\($0)/postgres") })
        else {
            throw HarnessError(
                "there is no PostgreSQL server here: install the package `postgresql`, as deploy/test does, or set "
                    + "PERENNIAL_TEST_POSTGRES_BIN to the folder of its programs")
        }
        self.directory = directory
    }

    /// A new directory that the server may write.
    func makeDirectory() throws -> String {
        let path = FileManager.default.temporaryDirectory.appending(path: "perennial-postgres-\(UUID().uuidString)")
            .path
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try self.give(path)
        return path
    }

    /// Makes a file the server's.
    func give(_ path: String) throws {
        guard self.isRoot else { return }
        guard let user = getpwnam("postgres"), chown(path, user.pointee.pw_uid, user.pointee.pw_gid) == 0 else {
            throw HarnessError("there is no user `postgres`, whom the package `postgresql` brings")
        }
    }

    func command(_ program: String, _ arguments: [String]) -> [String] {
        let identity =
            self.isRoot
            ? ["/usr/bin/setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--"] : []
        return identity + ["\(self.directory)/\(program)"] + arguments
    }

    /// - Returns: what it wrote to standard output.
    @discardableResult
    func run(_ program: String, _ arguments: [String]) throws -> String {
        try ChildProcess.run(self.command(program, arguments))
    }
}
