import Foundation
import PostgresHarness

/// What services ask otherwise: a Redis on loopback, as fast as its own `redis-benchmark` can, sixteen GETs at a time.
enum RedisBaseline {
    private static let getsPerKey = 3
    private static let tries = 200

    /// - Parameter keys: how many there are to choose from.
    /// - Returns: GETs a second; nil where no Redis is installed.
    static func rate(keys: Int) throws -> Double? {
        guard (try? ChildProcess.run(["redis-server", "--version"])) != nil else { return nil }
        let port = "\(try PostgresServer.freePort())"
        let server = try ChildProcess(
            ["redis-server", "--port", port, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"],
            output: "/dev/null")
        defer {
            kill(server.id, SIGTERM)
            _ = server.wait()
        }
        guard (0..<self.tries).contains(where: { _ in self.answers(port) }) else {
            throw BenchmarkError("Redis does not answer")
        }
        _ = try self.run("set", keys, port)
        let report = try self.run("get", keys, port)
        // A line of the report: "GET","789265.98","0.945",…
        let fields = report.split(separator: "\n").last { $0.hasPrefix("\"GET\"") }?.split(separator: ",")
        guard let rate = fields?.dropFirst().first.flatMap({ Double($0.filter { $0 != "\"" }) }) else {
            throw BenchmarkError("redis-benchmark says something else: \(report)")
        }
        return rate
    }

    private static func answers(_ port: String) -> Bool {
        if (try? ChildProcess.run(["redis-cli", "-p", port, "ping"])) != nil { return true }
        usleep(20_000)
        return false
    }

    private static func run(_ command: String, _ keys: Int, _ port: String) throws -> String {
        try ChildProcess.run([
            "redis-benchmark", "-p", port, "-t", command, "-P", "16", "-r", "\(keys)", "-n",
            "\(keys * self.getsPerKey)", "--csv",
        ])
    }
}
