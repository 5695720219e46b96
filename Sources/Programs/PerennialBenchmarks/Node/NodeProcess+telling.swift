import Foundation

extension NodeProcess {
    /// Says what one request of a load took of the node's processor time and of this process's.
    func telling(
        _ what: String, in workspace: Workspace, _ load: () async throws -> LoadResult
    ) async throws -> LoadResult {
        let own = try ProcessUse(of: getpid()).processorTime
        let node = try self.use().processorTime
        let result = try await load()
        let spent = [try self.use().processorTime - node, try ProcessUse(of: getpid()).processorTime - own]
            .map { String(format: "%.0f µs", $0 / .microseconds(1) / Double(result.answered)) }
        let p99 = String(format: "%.1f ms", result.latency(percentile: 99))
        workspace.say(
            "  \(what): \(Int(result.perSecond))/s, p99 \(p99); processor: node \(spent[0]), client \(spent[1]) each")
        return result
    }
}
