import Foundation

/// What a node is asked about one subscription, and must not answer with something older.
enum OwnerQuestion: CaseIterable {
    /// The owner's view, of which the database has the row.
    case view
    /// What the owner has in memory.
    case check
    case checkAtLeast
    /// What the node itself knows.
    case localCheckAtLeast

    enum Reply {
        /// - Parameter version: 0 when the subscription is unknown.
        case answer(version: Int, token: String?)
        /// It may be asked again.
        case refusal
        case strange(String)
    }

    /// - Parameter token: what the answer must not be older than. A view is asked for with it or without.
    /// - Throws: when nothing is said.
    func ask(_ node: NodeProcess, about subscription: String, atLeast token: String?) async throws -> Reply {
        let (status, body) =
            switch self {
            case .view:
                try await node.get(
                    "/v1/subscriptions/\(subscription)?consistency=owner", atLeast: .random() ? token : nil)
            case .check: try await Self.check(node, subscription, "owner")
            case .checkAtLeast: try await Self.check(node, subscription, "owner", atLeast: token)
            case .localCheckAtLeast: try await Self.check(node, subscription, "local", atLeast: token)
            }
        if status == 503 { return .refusal }
        if self == .view, status == 404 { return .answer(version: 0, token: nil) }
        if status == 200, let answer = self.answer(body) { return answer }
        return .strange("\(self): \(status) \(String(decoding: body, as: UTF8.self))")
    }

    private static func check(
        _ node: NodeProcess, _ subscription: String, _ consistency: String, atLeast token: String? = nil
    ) async throws -> (status: UInt, body: [UInt8]) {
        try await node.post(
            #"{"checks":[{"subscription":"\#(subscription)"}],"consistency":"\#(consistency)"}"#, to: "/v1/check",
            atLeast: token)
    }

    private func answer(_ body: [UInt8]) -> Reply? {
        let object = (try? JSONSerialization.jsonObject(with: Data(body))) as? [String: Any]
        let told = self == .view ? object : (object?["results"] as? [[String: Any]])?.first
        guard let version = told?["version"] as? Int else { return nil }
        return .answer(version: version, token: object?["token"] as? String)
    }
}
