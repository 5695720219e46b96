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
        guard let processorTime = Self.processorTime(of: process) else {
            throw BenchmarkError("the system does not say how long a process has run")
        }
        self.processorTime = processorTime
    }

    /// Returns when a process has done next to nothing for half a second.
    static func untilIdle(_ process: Int32) async throws {
        var before = try ProcessUse(of: process).processorTime
        while true {
            try await Task.sleep(for: .milliseconds(500))
            let now = try ProcessUse(of: process).processorTime
            if now - before <= .milliseconds(20) { return }
            before = now
        }
    }

    /// nil for a process that has ended.
    private static func processorTime(of process: Int32) -> Duration? {
        var clock: clockid_t = 0
        var time = timespec()
        guard unsafe clock_getcpuclockid(process, &clock) == 0, unsafe clock_gettime(clock, &time) == 0 else {
            return nil
        }
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    /// Of a process, its children, and those of them that have ended.
    static func processorTime(ofAllUnder parent: Int32) throws -> Duration {
        var sum = Duration.zero
        for name in try FileManager.default.contentsOfDirectory(atPath: "/proc") {
            // Others may end meanwhile.
            guard let id = Int32(name), let stat = try? Self.read("/proc/\(id)/stat") else { continue }
            // The second field is the program's name in parentheses, which may hold spaces.
            let fields = stat.split(separator: ")").last?.split(separator: " ") ?? []
            guard fields.count > 14, id == parent || fields[1] == "\(parent)" else { continue }
            sum += Self.processorTime(of: id) ?? .zero
            guard id == parent else { continue }
            let ended = fields[13...14].compactMap { Int($0) }.reduce(0, +)
            sum += .seconds(1) * ended / sysconf(Int32(_SC_CLK_TCK))
        }
        return sum
    }

    private static func read(_ path: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
    }
}
