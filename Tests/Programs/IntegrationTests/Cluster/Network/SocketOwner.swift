import Foundation

/// Who has opened a connection on this machine, as the kernel's files tell.
enum SocketOwner {
    /// - Parameters:
    ///   - port: of 127.0.0.1, where the connection begins.
    ///   - other: where it ends.
    ///   - isOpen: whether it is still there. Each look takes long, and finds nothing after that.
    /// - Returns: also those who have inherited it meanwhile; none if all have ended by now.
    static func processes(connectedFrom port: UInt16, to other: Int, while isOpen: () -> Bool) -> Set<pid_t> {
        // A table that changes while it is read may lack a line.
        for _ in 0..<50 {
            guard isOpen() else { return [] }
            let processes = Self.find(Self.address(Int(port)), Self.address(other))
            if !processes.isEmpty { return processes }
            Thread.sleep(forTimeInterval: 0.01)
        }
        return []
    }

    private static func address(_ port: Int) -> String { "0100007F:" + String(format: "%04X", port) }

    private static func find(_ local: String, _ remote: String) -> Set<pid_t> {
        guard let socket = Self.socket(local, remote) else { return [] }
        let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return Set(processes.compactMap { pid_t($0) }.filter { Self.holds("socket:[\(socket)]", $0) })
    }

    /// The number of the socket.
    private static func socket(_ local: String, _ remote: String) -> Substring? {
        for line in Self.table.split(separator: "\n") {
            let columns = line.split(separator: " ")
            if columns.count > 9, columns[1] == local, columns[2] == remote, columns[9] != "0" { return columns[9] }
        }
        return nil
    }

    /// Read to its end: the kernel gives a piece at a time, which Foundation takes for all.
    private static var table: String {
        let file = open("/proc/net/tcp", O_RDONLY)
        defer { close(file) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while case let count = read(file, &piece, piece.count), count > 0 { bytes += piece[..<count] }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func holds(_ name: String, _ process: pid_t) -> Bool {
        let folder = "/proc/\(process)/fd"
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return files.contains {
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")) == name
        }
    }
}
