import AppStoreSimulator
import Foundation
import Testing

/// A node whose store's file is removed, or whose user may not write it.
@Suite(.enabled(if: TestBinary.path != nil, "build the perennial product to run these"))
struct LostFileTests {
    private let directory: TemporaryDirectory
    private let corpus: SignedCorpus

    init() throws {
        self.directory = try TemporaryDirectory()
        self.corpus = try SignedCorpus(count: 20, seed: 101)
    }

    private var path: String { self.directory.file("perennial.db") }

    @Test("a node whose store was removed is ready for nothing, confirms nothing, and says so", .timeLimit(.minutes(5)))
    func confirmsNothing() async throws {
        // given
        let node = try await NodeProcess.start(in: self.directory, root: self.corpus.root)
        #expect(node.process.errorOutput.contains("A new store was made"))
        let payloads = self.corpus.notifications.map(\.signedPayload)
        for payload in payloads.prefix(5) { #expect(try await node.notify(payload) == 200) }
        // when
        try FileManager.default.removeItem(atPath: self.path)
        // then
        #expect(try await node.notify(payloads[5]) == 503)
        while try await node.get("/readyz?for=reads").status != 503 { try await Task.sleep(for: .milliseconds(50)) }
        for purpose in ["ingest", "reads"] { #expect(try await node.get("/readyz?for=\(purpose)").status == 503) }
        #expect(node.process.errorOutput.contains("The store's file is not where it was"))
        node.process.send(SIGTERM)
        _ = await node.process.waitForExit()
        // and the next start says that it begins with nothing
        let next = try await NodeProcess.start(in: self.directory, root: self.corpus.root)
        #expect(next.process.errorOutput.contains("A new store was made"))
        #expect(try await next.allEvents().isEmpty)
        next.process.send(SIGTERM)
        #expect(await next.process.waitForExit() == 0, "\(next.process.errorOutput)")
    }

    @Test("what was confirmed can be brought back while the node of a removed file runs", .timeLimit(.minutes(5)))
    func canBeRescued() async throws {
        // given
        let node = try await NodeProcess.start(in: self.directory, root: self.corpus.root)
        for payload in self.corpus.notifications.map(\.signedPayload) { #expect(try await node.notify(payload) == 200) }
        let before = try await node.allEvents().count
        try FileManager.default.removeItem(atPath: self.path)
        while try await node.get("/readyz").status != 503 { try await Task.sleep(for: .milliseconds(50)) }
        // when: as the page says
        let descriptors = "/proc/\(node.process.identifier)/fd"
        let open = try FileManager.default.contentsOfDirectory(atPath: descriptors).map { "\(descriptors)/\($0)" }
        let removed = try #require(
            open.first {
                (try? FileManager.default.destinationOfSymbolicLink(atPath: $0)) == "\(self.path) (deleted)"
            })
        let rescued = self.directory.file("rescued.db")
        try Data(contentsOf: URL(filePath: removed)).write(to: URL(filePath: rescued))
        node.process.send(SIGTERM)
        _ = await node.process.waitForExit()
        try FileManager.default.moveItem(atPath: rescued, toPath: self.path)
        // then
        let next = try await NodeProcess.start(in: self.directory, root: self.corpus.root)
        #expect(try await next.allEvents().count == before)
        next.process.send(SIGTERM)
        #expect(await next.process.waitForExit() == 0, "\(next.process.errorOutput)")
    }

    @Test(
        "a start that fails because the file may not be written leaves nothing behind that blocks the next one",
        .enabled(if: getuid() == 0 && FileManager.default.isExecutableFile(atPath: Self.otherUser[0]), "needs root"),
        .timeLimit(.minutes(5)))
    func leavesNothingBehind() async throws {
        // given: a store of a user who is not root
        let binary = try #require(TestBinary.path)
        let copy = self.directory.file("perennial")
        try FileManager.default.copyItem(atPath: binary, toPath: copy)
        try self.directory.write(self.corpus.root, to: "root.cer")
        let configuration = try self.directory.write(
            """
            http: { host: 127.0.0.1, port: 0 }
            store: { url: "sqlite://\(self.path)" }
            apps:
              - bundleId: \(NodeProcess.bundleID)
                appAppleId: \(NodeProcess.appAppleID)
                environments: [Production]
                rootCertificates: ["\(self.directory.file("root.cer"))"]
            """, to: "perennial.yaml")
        for file in [self.directory.path, self.directory.file("root.cer"), configuration] {
            #expect(chown(file, Self.otherID, Self.otherID) == 0)
        }
        func start() throws -> ChildProcess {
            let command = Self.otherUser + [copy, "serve", "--config", configuration]
            return try ChildProcess(
                command[0], Array(command.dropFirst()), output: self.directory.file(UUID().uuidString))
        }
        func runOnce() async throws {
            let process = try start()
            while process.isRunning, !process.errorOutput.contains("Listening") {
                try await Task.sleep(for: .milliseconds(20))
            }
            process.send(SIGTERM)
            #expect(await process.waitForExit() == 0, "\(process.errorOutput)")
        }
        try await runOnce()
        #expect(chmod(self.path, 0o400) == 0)
        let before = try self.files()
        // when
        let failed = try start()
        #expect(await failed.waitForExit() == 1)
        // then
        #expect(failed.errorOutput.contains("cannot open \(self.path): Permission denied"), "\(failed.errorOutput)")
        #expect(try self.files() == before)
        #expect(chmod(self.path, 0o600) == 0)
        try await runOnce()
    }

    private func files() throws -> Set<String> {
        let names = try FileManager.default.contentsOfDirectory(atPath: self.directory.path)
        return Set(names.filter { $0.hasPrefix("perennial.db") })
    }

    private static let otherID: uid_t = 65_534
    /// Put before a command.
    private static let otherUser = [
        "/usr/bin/setpriv", "--reuid", "\(Self.otherID)", "--regid", "\(Self.otherID)", "--clear-groups",
    ]
}
