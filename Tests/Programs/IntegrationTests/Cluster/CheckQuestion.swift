import Foundation
import NIOCore

/// A check of each of some subscriptions, asked at once.
struct CheckQuestion: Sendable {
    /// What a node says, in the order of the subscriptions.
    struct Answer {
        var results: [NSDictionary]
        var stale: Bool
        var token: String

        var versions: [Int] { self.results.map { $0["version"] as? Int ?? 0 } }
    }

    private let checks: String

    /// - Parameter subscriptions: by their ids, a thousand at most.
    init(_ subscriptions: [String]) {
        let checks = subscriptions.map { "{\"subscription\":\"\($0)\"}" }.joined(separator: ",")
        self.checks = "{\"checks\":[\(checks)]"
    }

    /// - Throws: `ProcessFailure` for whatever is no answer to all of them, and the error of the connection when nothing is said.
    func ask(_ node: NodeProcess, _ consistency: String, atLeast token: String? = nil) async throws -> Answer {
        let (status, body) = try await self.post(to: node, consistency, atLeast: token)
        guard status == 200, let answer = try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any],
            let results = answer["results"] as? [NSDictionary], !results.contains(where: { $0["error"] != nil }),
            let stale = answer["stale"] as? Bool,
            let token = answer["token"] as? String
        else { throw ProcessFailure("no answer: \(status) \(String(decoding: body, as: UTF8.self))") }
        return Answer(results: results, stale: stale, token: token)
    }

    /// 200 when the owners of all shards have answered, 503 when one of them could not be asked.
    func ownersStatus(by node: NodeProcess) async throws -> UInt { try await self.status(of: node, "owner") }

    /// 503 as well where some are answered, and others not now.
    func status(of node: NodeProcess, _ consistency: String, atLeast token: String? = nil) async throws -> UInt {
        let (status, body) = try await self.post(to: node, consistency, atLeast: token)
        guard status == 200 else { return status }
        let answer = try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any]
        let results = answer?["results"] as? [NSDictionary] ?? []
        return results.contains { $0["error"] != nil } ? 503 : 200
    }

    /// Why each is not answered; nil for those that are.
    func codes(by node: NodeProcess, _ consistency: String) async throws -> [String?] {
        let (status, body) = try await self.post(to: node, consistency)
        let answer = try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any]
        guard status == 200, let results = answer?["results"] as? [NSDictionary] else {
            throw ProcessFailure("no answer: \(status) \(String(decoding: body, as: UTF8.self))")
        }
        return results.map { ($0["error"] as? NSDictionary)?["code"] as? String }
    }

    private func post(
        to node: NodeProcess, _ consistency: String, atLeast token: String? = nil
    ) async throws -> (status: UInt, body: [UInt8]) {
        // A busy machine may keep an answer back: that says nothing about the node.
        try await node.post(
            "\(self.checks),\"consistency\":\"\(consistency)\"}", to: "/v1/check", atLeast: token, patience: .minutes(2)
        )
    }

    /// Waits until a node says by itself what the owners say, and that it is fresh.
    func untilMirrored(_ node: NodeProcess) async throws {
        while true {
            let local = try await self.ask(node, "local")
            if !local.stale, let owned = try? await self.ask(node, "owner"), local.results == owned.results { return }
            try await Task.sleep(for: .milliseconds(50))
        }
    }
}
