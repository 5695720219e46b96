import ArgumentParser
import Foundation

/// Which node to talk to, and as whom.
struct NodeOptions: ParsableArguments {
    @Option(help: "The node's address; PERENNIAL_NODE, else http://127.0.0.1:8080.")
    var node: String?

    @Option(help: "A file that holds an API token; PERENNIAL_TOKEN may hold the token itself.")
    var tokenFile: String?

    func client() throws -> NodeClient {
        let environment = ProcessInfo.processInfo.environment
        let address = self.node ?? environment["PERENNIAL_NODE"] ?? "http://127.0.0.1:8080"
        return try NodeClient(address: address, token: try self.token(environment))
    }

    private func token(_ environment: [String: String]) throws -> String? {
        guard let tokenFile else { return environment["PERENNIAL_TOKEN"].flatMap { $0.isEmpty ? nil : $0 } }
        do {
            return try String(contentsOfFile: tokenFile, encoding: .utf8).trimmingCharacters(
                in: .whitespacesAndNewlines)
        } catch {
            throw CommandFailure("\(tokenFile): \(FileProblem(error).sentence)")
        }
    }
}
