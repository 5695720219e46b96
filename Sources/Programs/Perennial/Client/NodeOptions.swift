import ArgumentParser
import Foundation
import NIOCore

/// Which node to talk to, and as whom.
struct NodeOptions: ParsableArguments {
    @Option(help: "The node's address; PERENNIAL_NODE, else http://127.0.0.1:8080.")
    var node: String?

    @Option(help: "A file that holds an API token; PERENNIAL_TOKEN may hold the token itself.")
    var tokenFile: String?

    func validate() throws { _ = try NodeClient(address: self.address, token: nil) }

    func client() throws -> NodeClient {
        try NodeClient(address: self.address, token: try self.token())
    }

    /// For requests that the node answers when Apple has answered it.
    func clientThatWaitsForApple() throws -> NodeClient {
        try NodeClient(address: self.address, token: try self.token(), patience: .seconds(90))
    }

    private var address: String {
        self.node ?? ProcessInfo.processInfo.environment["PERENNIAL_NODE"] ?? "http://127.0.0.1:8080"
    }

    private func token() throws -> String? {
        guard let tokenFile else {
            return ProcessInfo.processInfo.environment["PERENNIAL_TOKEN"].flatMap { $0.isEmpty ? nil : $0 }
        }
        return try Self.token(in: tokenFile)
    }

    static func token(in tokenFile: String) throws -> String {
        do {
            return try String(contentsOfFile: tokenFile, encoding: .utf8).trimmingCharacters(
                in: .whitespacesAndNewlines)
        } catch {
            throw CommandFailure("\(tokenFile): \(FileProblem(error).sentence)")
        }
    }
}
