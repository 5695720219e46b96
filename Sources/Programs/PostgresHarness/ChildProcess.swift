import Foundation

/// A program that runs beside this one. Not Foundation's `Process`, whose way of hearing that a child has ended is a socket
/// that other children, started at the same moment, inherit: it may then wait for a server that runs for long. And in a
/// process with many open files it reads their list beyond its end.
package struct ChildProcess: Sendable {
    package let id: Int32

    /// - Parameters:
    ///   - command: an executable, which the search path leads to if it is no path, and its arguments.
    ///   - input: what it reads, `/dev/null` if nothing.
    ///   - output: the file that gets all that it writes.
    ///   - errors: the file that gets what it writes to standard error; nil for the same.
    ///   - environment: nil for this process's own.
    ///   - directory: where it is, since a server's user may not be allowed to be where we are.
    package init(
        _ command: [String], input: Int32? = nil, output: String, errors: String? = nil,
        environment: [String: String]? = nil, directory: String = "/"
    ) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if let input {
            posix_spawn_file_actions_adddup2(&actions, input, 0)
        } else {
            posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        }
        posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        if let errors {
            posix_spawn_file_actions_addopen(&actions, 2, errors, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        } else {
            posix_spawn_file_actions_adddup2(&actions, 1, 2)
        }
        // Whatever else is open here would stay open there; where nothing is, nothing happens.
        for descriptor in 3..<Int32(min(sysconf(Int32(_SC_OPEN_MAX)), 16_384)) {
            posix_spawn_file_actions_addclose(&actions, descriptor)
        }

        // The threads that run tasks block nearly all signals, and a child inherits that: a shell that hears of no child
        // of its own waits for ever.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var nothing = sigset_t()
        sigemptyset(&nothing)
        posix_spawnattr_setsigmask(&attributes, &nothing)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))

        let words = ["/usr/bin/env", "-C", directory] + command
        let arguments = words.map { strdup($0) } + [nil]
        let variables = (environment ?? ProcessInfo.processInfo.environment).map { strdup("\($0)=\($1)") } + [nil]
        defer { for text in arguments + variables { free(text) } }
        var id: pid_t = 0
        guard posix_spawn(&id, words[0], &actions, &attributes, arguments, variables) == 0 else {
            throw HarnessError("\(words[0]) cannot be started")
        }
        self.id = id
    }

    /// Blocks until it has ended. To be called once.
    /// - Returns: its exit code; of a signal 128 and its number, as shells count; nil when it is no child any more.
    package func wait() -> Int32? {
        var status: Int32 = 0
        while waitpid(self.id, &status, 0) < 0 { guard errno == EINTR else { return nil } }
        let signal = status & 0x7F
        return signal == 0 ? status >> 8 & 0xFF : 128 + signal
    }

    /// Runs a program to its end.
    /// - Returns: what it wrote.
    @discardableResult
    package static func run(_ command: [String]) throws -> String {
        let file = FileManager.default.temporaryDirectory.appending(path: "perennial-\(UUID().uuidString).out")
        defer { try? FileManager.default.removeItem(at: file) }
        let isGood = try ChildProcess(command, output: file.path).wait() == 0
        let output = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        guard isGood else { throw HarnessError("\(command.joined(separator: " ")) failed: \(output)") }
        return output
    }
}
