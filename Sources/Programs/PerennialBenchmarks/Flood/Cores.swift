import Foundation
import PostgresHarness

/// Binds processes to processors, so that those who make a load take nothing from those who are measured.
enum Cores {
    static let nodes = 0
    static let load = 1

    /// Binds this process, whatever it starts from now on among it, to the core of the load while `body` runs.
    /// - Throws: on a machine that has one core.
    static func loading<Result>(_ body: () async throws -> Result) async throws -> Result {
        let count = sysconf(Int32(_SC_NPROCESSORS_CONF))
        guard ProcessInfo.processInfo.activeProcessorCount > 1 else {
            throw BenchmarkError("node and load need a core each, and this machine has one")
        }
        try self.bind("\(Self.load)")
        let result: Swift.Result<Result, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        try self.bind("0-\(count - 1)")
        return try result.get()
    }

    /// All threads there are; what they start inherits it.
    private static func bind(_ cores: String) throws {
        try ChildProcess.run(["taskset", "--all-tasks", "--cpu-list", "--pid", cores, "\(getpid())"])
    }

    /// As many open files as the system lets this process have, and what it starts.
    static func openManyFiles() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
