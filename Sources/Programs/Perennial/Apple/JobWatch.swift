import ArgumentParser
import UnixSignals

/// Follows long work of a node: a line that changes on a terminal, a line now and then elsewhere.
struct JobWatch {
    let client: NodeClient
    let format: OutputFormat
    /// Where the node tells of the work, and the command that does.
    var path = ["v1", "reconcile", "jobs"]
    var command = "reconcile watch"

    private static let pause = Duration.milliseconds(500)

    /// Returns when the work is done.
    /// - Throws: when it has failed, or cannot be asked about any more; exit code 1 after Ctrl-C, which leaves it running.
    func follow(_ job: JSONFragment) async throws {
        let id = JobSummary(job).id
        let last = try await withThrowingTaskGroup(of: JSONFragment?.self) { tasks in
            tasks.addTask { try await self.end(of: job) }
            tasks.addTask {
                for await _ in await UnixSignalsSequence(trapping: .sigint, .sigterm) { break }
                return nil
            }
            defer { tasks.cancelAll() }
            return try await tasks.next() ?? nil
        }
        guard let last else {
            Console.complain("The node goes on with it; to see how far it is: perennial \(self.command) \(id)")
            throw ExitCode(1)
        }
        let summary = JobSummary(last)
        if self.format == .json { Console.print(last.serialized) }
        if summary.hasFailed { throw CommandFailure(summary.ending) }
        if self.format == .table { Console.print(summary.ending) }
    }

    private func end(of first: JSONFragment) async throws -> JSONFragment {
        let status = StatusLine()
        defer { status.end() }
        var job = first
        var shown: ContinuousClock.Instant?
        while JobSummary(job).isRunning {
            if shown.map({ ContinuousClock.now - $0 >= status.interval }) ?? true {
                shown = .now
                self.show(JobSummary(job).line, on: status)
            }
            try await Task.sleep(for: Self.pause)
            job = try await self.client.get(self.path + [JobSummary(first).id])
        }
        return job
    }

    /// A document on standard output stands there alone.
    private func show(_ line: String, on status: StatusLine) {
        switch self.format {
        case .table: status.show(line)
        case .json: Console.complain(line)
        }
    }
}
