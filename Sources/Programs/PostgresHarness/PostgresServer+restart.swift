import Foundation

/// For tests of what becomes of those whose database goes away and comes back.
extension PostgresServer {
    package enum Stop: Sendable {
        /// In order: sessions end, and everything is written.
        case fast
        /// All processes of the server at once, as by a machine that loses power.
        case kill
    }

    /// Returns when it takes no connections any more.
    package func stop(_ manner: Stop) throws {
        switch manner {
        case .fast:
            try self.tell("INT")
            while self.isReady { Thread.sleep(forTimeInterval: 0.02) }
        case .kill:
            let server = try self.process
            let children = try Self.children(of: server)
            for child in children { Glibc.kill(child, SIGKILL) }
            try self.tell("KILL")
            // The next server refuses to start while one of them holds on to the memory that they shared.
            while ([server] + children).contains(where: Self.isAlive) { Thread.sleep(forTimeInterval: 0.02) }
        }
    }

    /// Starts it again, on the same port and data, and returns when it takes connections.
    package func start() throws {
        try self.tell("START")
        try self.waitUntilReady()
    }

    private func tell(_ word: String) throws {
        let line = Array("\(word)\n".utf8)
        guard send(self.lifeline, line, line.count, Int32(MSG_NOSIGNAL)) == line.count else {
            throw HarnessError("nobody looks after the server any more")
        }
    }

    private var isReady: Bool {
        (try? self.programs.run("pg_isready", ["-q", "-h", "127.0.0.1", "-p", "\(self.port)"])) != nil
    }

    private static func children(of process: pid_t) throws -> [pid_t] {
        try String(contentsOfFile: "/proc/\(process)/task/\(process)/children", encoding: .utf8)
            .split(separator: " ").compactMap { pid_t($0) }
    }

    /// Not gone, and not waiting to be noticed as gone.
    private static func isAlive(_ process: pid_t) -> Bool {
        let status = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ""
        guard let state = status.split(separator: ")").last?.first(where: { $0 != " " }) else { return false }
        return state != "Z" && state != "X"
    }
}
