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
        try Self.run(self.command(program, arguments))
    }

    /// Its output goes through files: the other end of a pipe may end up in a child that somebody else starts at the same
    /// moment, and then the end of the output never comes.
    @discardableResult
    static func run(_ command: [String]) throws -> String {
        let file = FileManager.default.temporaryDirectory.appending(path: "perennial-\(UUID().uuidString)").path
        let (output, errors) = (file + ".out", file + ".err")
        defer { for path in [output, errors] { try? FileManager.default.removeItem(atPath: path) } }
        let status = try Self.spawn(command, output: output, errors: errors)
        guard status == 0 else {
            let reason = (try? String(contentsOfFile: errors, encoding: .utf8)) ?? ""
            throw HarnessError("\(command[0]) failed: \(reason)")
        }
        return try String(contentsOfFile: output, encoding: .utf8)
    }

    /// - Returns: the status that `waitpid` gives.
    private static func spawn(_ command: [String], output: String, errors: String) throws -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        posix_spawn_file_actions_addopen(&actions, 2, errors, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        // The server's user may not be allowed to be where we are.
        var arguments = (["/usr/bin/env", "-C", "/"] + command).map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var child = pid_t()
        guard posix_spawn(&child, "/usr/bin/env", &actions, nil, &arguments, environ) == 0 else {
            throw HarnessError("cannot start \(command[0])")
        }
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0 {
            guard errno == EINTR else { throw HarnessError("cannot wait for \(command[0])") }
        }
        return status
    }
}
