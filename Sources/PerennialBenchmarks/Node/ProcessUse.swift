import Foundation

/// What a process uses of the machine, as Linux tells it.
struct ProcessUse {
    /// Without what was swapped out.
    let residentBytes: Int
    /// Of all its threads since it began, in user and kernel mode.
    let processorTime: Duration

    init(of process: Int32) throws {
        let status = try Self.read("/proc/\(process)/status")
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        guard let line, let kilobytes = Int(line.filter(\.isNumber)) else {
            throw BenchmarkError("the system does not say how much memory a process has")
        }
        self.residentBytes = kilobytes << 10
        // The second field is the program's name in parentheses, which may hold spaces.
        let fields = try Self.read("/proc/\(process)/stat").split(separator: ")").last?.split(separator: " ") ?? []
        guard fields.count > 12, let user = Int(fields[11]), let system = Int(fields[12]) else {
            throw BenchmarkError("the system does not say how long a process has run")
        }
        let ticksPerSecond = sysconf(Int32(_SC_CLK_TCK))
        self.processorTime = .seconds(1) * (user + system) / ticksPerSecond
    }

    private static func read(_ path: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
    }
}
