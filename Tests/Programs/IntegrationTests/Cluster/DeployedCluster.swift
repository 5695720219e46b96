import Foundation

/// What `deploy/cluster` starts, with the program that is built already, in a folder and on ports of its own.
struct DeployedCluster {
    /// As they are asked; their process is the script.
    let nodes: [NodeProcess]
    private let script: ChildProcess
    private let folder: TemporaryDirectory

    private static let path = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../../deploy/cluster").standardized.path

    init() throws {
        guard let binary = TestBinary.path else { throw ProcessFailure("no perennial binary: set PERENNIAL_BINARY") }
        let folder = try TemporaryDirectory()
        let port = try Self.freePorts(5)
        let arguments = ["--data", folder.path, "--port", "\(port)", "--subscribers", "1000", "--speed", "40000"]
        let script = try ChildProcess(
            Self.path, arguments, output: folder.file("script"), environment: ["PERENNIAL_BINARY": binary])
        self.nodes = (0..<3).map { NodeProcess(process: script, url: "http://127.0.0.1:\(port + $0)") }
        self.script = script
        self.folder = folder
    }

    /// The first of as many in a row. None from where the kernel takes the ports of connections: it could be taken meanwhile.
    private static func freePorts(_ count: Int) throws -> Int {
        for _ in 0..<100 {
            let first = Int.random(in: 20_000..<32_000)
            if (first..<first + count).allSatisfy({ (try? LoopbackListener(port: $0)) != nil }) { return first }
        }
        throw ProcessFailure("there are no free ports")
    }

    /// What the script has written to standard error.
    var complaints: String { self.script.errorOutput }

    /// Waits until the script has said something.
    func untilSaid<Output>(_ words: Regex<Output>) async throws -> Output {
        while true {
            let isRunning = self.script.isRunning
            if let match = self.script.output.firstMatch(of: words) { return match.output }
            guard isRunning else {
                throw ProcessFailure("deploy/cluster has ended: \(self.script.output)\(self.script.errorOutput)")
            }
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    /// Does something, and stops the script as a supervisor would, however that goes.
    /// - Returns: its exit code.
    func stopped(after body: () async throws -> Void) async throws -> Int32 {
        do { try await body() } catch {
            _ = await self.stop()
            throw error
        }
        return await self.stop()
    }

    private func stop() async -> Int32 {
        self.script.send(SIGTERM)
        // In a task of its own, which is not cancelled: what the script has started would outlive it.
        return await Task { await self.script.waitForExit() }.value
    }

    /// The command lines of those who run on its data.
    var running: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []).filter { Int($0) != nil }
            .compactMap { try? String(contentsOfFile: "/proc/\($0)/cmdline", encoding: .utf8) }
            .filter { $0.contains(self.folder.path) }
    }
}
