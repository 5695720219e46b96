import Foundation
import PostgresHarness
import Synchronization

struct ProcessFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// A program started by a test, with its output in files, and ended by its process id.
final class ChildProcess: Sendable {
    let identifier: pid_t
    let outputPath: String
    let errorPath: String
    private let exit: Exit

    /// The end of the process, awaited by any number of callers.
    private final class Exit: Sendable {
        private struct State {
            var status: Int32?
            var waiting: [CheckedContinuation<Int32, Never>] = []
        }
        private let state = Mutex(State())

        func complete(_ status: Int32) {
            let waiting = self.state.withLock { state in
                state.status = status
                defer { state.waiting = [] }
                return state.waiting
            }
            for continuation in waiting { continuation.resume(returning: status) }
        }

        var status: Int32? { self.state.withLock { $0.status } }

        func wait() async -> Int32 {
            await withCheckedContinuation { continuation in
                let known = self.state.withLock { state -> Int32? in
                    if state.status == nil { state.waiting.append(continuation) }
                    return state.status
                }
                if let known { continuation.resume(returning: known) }
            }
        }
    }

    /// - Parameter input: what it reads; nothing if nil.
    init(
        _ executable: String, _ arguments: [String], input: Int32? = nil, output: String,
        environment: [String: String] = [:]
    ) throws {
        self.outputPath = output + ".out"
        self.errorPath = output + ".err"
        for path in [self.outputPath, self.errorPath] {
            guard FileManager.default.createFile(atPath: path, contents: nil) else {
                throw ProcessFailure("\(path) cannot be written")
            }
        }
        let process = try PostgresHarness.ChildProcess(
            [executable] + arguments, input: input, output: self.outputPath, errors: self.errorPath,
            environment: ProcessInfo.processInfo.environment.merging(environment) { $1 },
            directory: FileManager.default.currentDirectoryPath)
        let exit = Exit()
        Thread.detachNewThread { exit.complete(process.wait() ?? -1) }
        self.exit = exit
        self.identifier = process.id
    }

    deinit { if self.exit.status == nil { kill(self.identifier, SIGKILL) } }

    var isRunning: Bool { self.exit.status == nil }

    var output: String { (try? String(contentsOfFile: self.outputPath, encoding: .utf8)) ?? "" }

    var errorOutput: String { (try? String(contentsOfFile: self.errorPath, encoding: .utf8)) ?? "" }

    func send(_ signal: Int32) { kill(self.identifier, signal) }

    /// Whoever is cancelled while he waits, as by a time limit, ends it.
    func waitForExit() async -> Int32 {
        await withTaskCancellationHandler {
            await self.exit.wait()
        } onCancel: {
            if self.isRunning { self.send(SIGKILL) }
        }
    }
}
