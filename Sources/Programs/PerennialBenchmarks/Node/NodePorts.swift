import Foundation

/// The lines by which a node says where it listens.
struct NodePorts {
    enum Server: String, CaseIterable { case api, bare }

    private(set) var ports: [Server: Int] = [:]

    static func print(_ server: Server, _ port: Int) {
        FileHandle.standardOutput.write(Data("\(server.rawValue) \(port)\n".utf8))
    }

    /// Takes one line.
    /// - Returns: whether all have come.
    mutating func read(_ line: some StringProtocol) -> Bool {
        let words = line.split(separator: " ")
        if words.count == 2, let server = Server(rawValue: String(words[0])), let port = Int(words[1]) {
            self.ports[server] = port
        }
        return self.ports.count == Server.allCases.count
    }
}
