import Foundation

/// Who has opened a connection on this machine, as the kernel's files tell.
enum SocketOwner {
    /// - Parameters:
    ///   - port: of 127.0.0.1, where the connection begins.
    ///   - other: where it ends.
    static func process(connectedFrom port: UInt16, to other: Int) -> pid_t? {
        // A table that changes while it is read may lack a line.
        for _ in 0..<50 {
            if let process = Self.find(Self.address(Int(port)), Self.address(other)) { return process }
            Thread.sleep(forTimeInterval: 0.01)
        }
        return nil
    }

    private static func address(_ port: Int) -> String { "0100007F:" + String(format: "%04X", port) }

    private static func find(_ local: String, _ remote: String) -> pid_t? {
        guard let socket = Self.socket(local, remote) else { return nil }
        let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return processes.compactMap { pid_t($0) }.first { Self.holds("socket:[\(socket)]", $0) }
    }

    /// The number of the socket.
    private static func socket(_ local: String, _ remote: String) -> Substring? {
        let table = (try? String(contentsOfFile: "/proc/net/tcp", encoding: .utf8)) ?? ""
        for line in table.split(separator: "\n") {
            let columns = line.split(separator: " ")
            if columns.count > 9, columns[1] == local, columns[2] == remote, columns[9] != "0" { return columns[9] }
        }
        return nil
    }

    private static func holds(_ name: String, _ process: pid_t) -> Bool {
        let folder = "/proc/\(process)/fd"
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return files.contains {
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")) == name
        }
    }
}
