import Foundation

/// The program as a user runs it.
struct PerennialProcess {
    struct Result: Sendable {
        let status: Int32
        let output: String
        let errors: String

        /// Standard error, line by line.
        var errorLines: [String] { self.errors.split(separator: "\n").map(String.init) }
    }

    private let directory: TemporaryDirectory
    private let child: ChildProcess

    /// Starts it, with what it reads on standard input.
    init(_ arguments: String..., input: String? = nil, environment: [String: String] = [:]) throws {
        try self.init(arguments: arguments, input: input, environment: environment)
    }

    init(arguments: [String], input: String? = nil, environment: [String: String] = [:]) throws {
        guard let binary = TestBinary.path else { throw ProcessFailure("no perennial binary: set PERENNIAL_BINARY") }
        let directory = try TemporaryDirectory()
        guard let input else {
            try self.init(binary, arguments, in: directory, environment: environment)
            return
        }
        let file = try directory.write(input, to: "input")
        try self.init(
            "/bin/sh", ["-c", #"file=$1; shift; exec "$@" < "$file""#, "sh", file, binary] + arguments, in: directory,
            environment: environment)
    }

    /// Starts a line of a shell.
    init(shell line: String) throws {
        try self.init("/bin/sh", ["-c", line], in: TemporaryDirectory(), environment: [:])
    }

    private init(
        _ executable: String, _ arguments: [String], in directory: TemporaryDirectory, environment: [String: String]
    ) throws {
        self.directory = directory
        self.child = try ChildProcess(
            executable, arguments, output: directory.file("process"), environment: environment)
    }

    static func run(
        _ arguments: String..., input: String? = nil, environment: [String: String] = [:]
    ) async throws -> Result {
        try await PerennialProcess(arguments: arguments, input: input, environment: environment).result()
    }

    /// Waits for its end.
    func result() async -> Result {
        let status = await self.child.waitForExit()
        return Result(status: status, output: self.child.output, errors: self.child.errorOutput)
    }

    /// Waits until standard output or standard error holds a text, or the process has ended.
    /// - Returns: what stands in both by then.
    func text(containing text: String) async throws -> String {
        while true {
            let isRunning = self.child.isRunning
            let written = self.child.output + self.child.errorOutput
            guard isRunning, !written.contains(text) else { return written }
            try await Task.sleep(for: .milliseconds(20))  // a poll: the test does not depend on its length
        }
    }

    /// SIGINT, as Ctrl-C sends it.
    func interrupt() { self.child.send(SIGINT) }

    /// SIGKILL.
    func kill() { self.child.send(SIGKILL) }

    /// SIGTERM.
    func terminate() { self.child.send(SIGTERM) }
}
