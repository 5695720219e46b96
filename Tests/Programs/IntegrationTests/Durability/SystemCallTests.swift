import AppStoreSimulator
import Foundation
import Testing

/// kill -9 leaves what the kernel already has; only the order of system calls tells what a power cut would.
@Suite(
    .serialized,
    .enabled(if: TestBinary.path != nil && TestBinary.find("strace") != nil, "needs strace and the perennial product"))
struct SystemCallTests {
    @Test(.timeLimit(.minutes(5)))
    func anFdatasyncOfTheLogEndsBeforeEach200() async throws {
        let directory = try TemporaryDirectory()
        let corpus = try SignedCorpus(count: 25, seed: 11)
        let trace = directory.file("trace")
        let tracer = [
            TestBinary.find("strace")!, "-f", "-qq", "-s", "64", "-y", "-o", trace,
            "-e", "trace=fdatasync,fsync,write,writev,sendto,sendmsg",
        ]
        let node = try await NodeProcess.start(in: directory, root: corpus.root, wrapper: tracer)
        for notification in corpus.notifications {
            #expect(try await node.notify(notification.signedPayload) == 200)
        }
        // The tracer passes the signal on to nobody: the node is its child.
        kill(try Self.child(of: node.process.identifier), SIGTERM)
        _ = await node.process.waitForExit()

        // What was answered while the node started is before; the trace may have had it later than we did.
        let calls = try Self.calls(in: trace)
        let all = calls.indices.filter { calls[$0] == .answer }
        let earlier = all.count - corpus.notifications.count
        try #require(earlier >= 0)
        var synced = 0
        var answers = 0
        for call in calls[(earlier == 0 ? 0 : all[earlier - 1] + 1)...] {
            switch call {
            case .sync: synced += 1
            case .answer:
                answers += 1
                #expect(synced > 0, "answer \(answers) had no fdatasync of the log before it")
                synced = 0
            }
        }
        #expect(answers == corpus.notifications.count)
    }

    private enum Call { case sync, answer }

    /// Finished syncs of the write-ahead log and 200s that carry `{}`, in the order in which they ended or began.
    private static func calls(in trace: String) throws -> [Call] {
        var unfinished: Set<Substring> = []
        return try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n").compactMap { line in
            let thread = line.prefix { $0 != " " }
            if line.contains("sync(") && line.contains("-wal>") {
                guard line.contains("<unfinished") else { return line.hasSuffix("= 0") ? .sync : nil }
                unfinished.insert(thread)
                return nil
            }
            if line.contains("sync resumed>"), unfinished.remove(thread) != nil {
                return line.hasSuffix("= 0") ? .sync : nil
            }
            return line.contains("HTTP/1.1 200 OK") ? .answer : nil
        }
    }

    private static func child(of parent: pid_t) throws -> pid_t {
        let children = try String(contentsOfFile: "/proc/\(parent)/task/\(parent)/children", encoding: .utf8)
        guard let first = children.split(separator: " ").first, let child = pid_t(first) else {
            throw ProcessFailure("the tracer has no child")
        }
        return child
    }
}
