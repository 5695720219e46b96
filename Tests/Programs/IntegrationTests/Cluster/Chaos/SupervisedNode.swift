import Foundation
import Synchronization

/// A node of a cluster, and somebody who starts it anew when it has ended.
final class SupervisedNode: Sendable {
    /// An end that nobody asked for.
    struct End: Sendable {
        var status: Int32
        var errors: String
    }

    private struct State {
        var process: ChildProcess?
        /// nil while it does not listen.
        var node: NodeProcess?
        var isWanted = true
        /// Somebody has ended this run.
        var isAsked = false
        var ends: [End] = []
    }

    let name: String
    private let state = Mutex(State())
    private let launch: @Sendable () throws -> ChildProcess

    init(_ name: String, launch: @escaping @Sendable () throws -> ChildProcess) {
        self.name = name
        self.launch = launch
    }

    /// nil while it does not listen.
    var node: NodeProcess? { self.state.withLock(\.node) }
    var identifier: pid_t? { self.state.withLock { $0.process?.identifier } }
    var ends: [End] { self.state.withLock(\.ends) }

    func isReady() async -> Bool { (try? await self.node?.get("/readyz").status) == 200 }

    /// 0 while nobody can be asked.
    func ownedShards() async -> Int { (try? await self.node?.ownedShards()) ?? 0 }

    // MARK: The supervisor

    /// Starts it, again and again, until cancelled.
    func supervise() async throws {
        while true {
            while !self.state.withLock(\.isWanted) { try await Task.sleep(for: .milliseconds(20)) }
            let process = try self.launch()
            self.state.withLock { state in
                state.process = process
                state.isAsked = false
            }
            await withTaskCancellationHandler {
                async let _ = self.listen(process)
                self.note(await process.waitForExit(), of: process)
            } onCancel: {
                process.send(SIGKILL)
            }
            try await Task.sleep(for: .milliseconds(200))
        }
    }

    /// Goes on looking: a node that was taken for dead comes back in the same process, on another port.
    private func listen(_ process: ChildProcess) async {
        while process.isRunning, !Task.isCancelled {
            let node = NodeProcess(listening: process)
            self.state.withLock { if $0.process === process { $0.node = node } }
            try? await Task.sleep(for: .milliseconds(node == nil ? 25 : 200))
        }
    }

    private func note(_ status: Int32, of process: ChildProcess) {
        self.state.withLock { state in
            if !state.isAsked { state.ends.append(End(status: status, errors: process.errorOutput)) }
            state.process = nil
            state.node = nil
        }
    }

    // MARK: Disturbing it

    /// Ends this run; the supervisor starts the next one.
    func kill() { self.end(with: SIGKILL, isWanted: true) }

    /// Ends this run, and keeps it down.
    func keepDown() { self.end(with: SIGKILL, isWanted: false) }

    /// In order, and keeps it down.
    /// - Returns: its exit code.
    func stop() async -> Int32 {
        let process = self.end(with: SIGTERM, isWanted: false)
        return await process?.waitForExit() ?? -1
    }

    func resume() { self.state.withLock { $0.isWanted = true } }

    /// SIGSTOP and SIGCONT.
    func send(_ signal: Int32) { self.state.withLock(\.process)?.send(signal) }

    @discardableResult
    private func end(with signal: Int32, isWanted: Bool) -> ChildProcess? {
        self.state.withLock { state in
            state.isWanted = isWanted
            state.isAsked = true
            state.process?.send(signal)
            return state.process
        }
    }
}
