import AppStoreSimulator
import Foundation
import PerennialTestSupport
import PostgresHarness

/// Nodes of one database, the first of them behind a cable, with or without a guard; and what they are told of one
/// subscription.
final class GuardedNodes {
    let cable: PartitionProxy
    /// What becomes of the subscription, oldest first.
    let notifications: [SignedNotification]
    let subscription: String
    let removed: Guard?
    /// What becomes of many.
    private let crowd: [SignedNotification]
    private(set) var history = History()
    private let nodes: BenchmarkNodes

    /// - Parameter removed: what the nodes go without.
    init(without removed: Guard?) async throws {
        let (root, lives) = try await onOwnThread {
            let factory = try LifecycleFactory(seed: 47)
            return (factory.rootCertificate, try (0..<20).flatMap { try factory.lifecycles(ofCustomer: $0) })
        }
        self.crowd = lives.flatMap(\.notifications)
        // The life that has the most to tell.
        let told = lives.map { $0.notifications.filter { $0.status != nil } }
        guard let notifications = told.max(by: { $0.count < $1.count }), notifications.count >= 3,
            let subscription = notifications[0].originalTransactionID
        else { throw ProcessFailure("nobody lives long enough") }
        self.notifications = Array(notifications.prefix(3))
        self.subscription = subscription
        self.removed = removed
        self.nodes = try await BenchmarkNodes(root: root, without: removed)
        self.cable = try PartitionProxy(to: LoopbackAddress(port: Int(self.nodes.database.server.port)))
    }

    // MARK: Nodes

    /// The one behind the cable. It owns all shards when this returns.
    func startFirst() async throws -> NodeProcess {
        let node = try await self.nodes.start("first", port: self.cable.port)
        try await self.untilAllAreOwned(by: node)
        return node
    }

    func startSecond() async throws -> NodeProcess { try await self.nodes.start("second") }

    /// Nothing is in their way, and each has its share.
    func startBoth() async throws -> (NodeProcess, NodeProcess) {
        let nodes = [try await self.nodes.start("first"), try await self.startSecond()]
        try await NodeProcess.untilEvenlyDivided(among: nodes)
        return (nodes[0], nodes[1])
    }

    func untilAllAreOwned(by node: NodeProcess) async throws {
        while try await node.ownedShards() < NodeProcess.shardCount { try await Task.sleep(for: .milliseconds(20)) }
    }

    // MARK: What it is told

    /// What is to be sent.
    func payload(_ number: Int) -> [UInt8] {
        self.history.sent.insert(self.notifications[number].uuid)
        return self.notifications[number].signedPayload
    }

    /// The same of many subscriptions.
    func payloads() -> [[UInt8]] {
        self.history.sent.formUnion(self.crowd.map(\.uuid))
        return self.crowd.map(\.signedPayload)
    }

    func note(_ status: UInt, of number: Int) {
        if status == 200 { self.history.acknowledged.insert(self.notifications[number].uuid) }
    }

    /// As the App Store does, only sooner: sends it until it is acknowledged; for a while.
    func deliver(_ number: Int, _ node: NodeProcess) async throws {
        for _ in 0..<20 {
            let status = try await node.notify(self.payload(number))
            self.note(status, of: number)
            if status == 200 { return }
            try await Task.sleep(for: .milliseconds(100))
        }
        self.history.refused.append(self.notifications[number].uuid)
    }

    // MARK: What it answers

    struct Known {
        var version: Int
        var token: String
    }

    /// - Returns: nil for a refusal.
    func view(_ node: NodeProcess, consistency: String) async throws -> Known? {
        let answer = try await node.get("/v1/subscriptions/\(self.subscription)?consistency=\(consistency)")
        guard answer.status == 200 else { return nil }
        return try Self.known(try Self.object(answer.body), in: answer.body)
    }

    /// Asks what the owner has in memory.
    /// - Parameters:
    ///   - known: what was answered to anybody before.
    ///   - withToken: says so.
    /// - Returns: whether the node has answered; what it refuses shows nothing.
    @discardableResult
    func check(_ node: NodeProcess, after known: Known? = nil, withToken: Bool = false) async throws -> Bool {
        let question = #"{"checks":[{"subscription":"\#(self.subscription)"}],"consistency":"owner"}"#
        let answer = try await node.post(question, to: "/v1/check", atLeast: withToken ? known?.token : nil)
        guard answer.status == 200 else { return false }
        let results = try Self.object(answer.body)["results"] as? [[String: Any]] ?? []
        guard results.count == 1, let version = results[0]["version"] as? Int else {
            throw ProcessFailure("no answer to a check: \(String(decoding: answer.body, as: UTF8.self))")
        }
        self.history.answers.append(
            History.OwnerAnswer(
                node: node.url, subscription: self.subscription, atLeast: known?.version ?? 0, version: version))
        return true
    }

    private static func object(_ body: [UInt8]) throws -> [String: Any] {
        try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any] ?? [:]
    }

    private static func known(_ object: [String: Any], in body: [UInt8]) throws -> Known {
        guard let version = object["version"] as? Int, let token = object["token"] as? String else {
            throw ProcessFailure("no view of a subscription: \(String(decoding: body, as: UTF8.self))")
        }
        return Known(version: version, token: token)
    }

    // MARK: What it keeps

    func rows() async throws -> [Int: History.ShardRows] {
        let database = self.nodes.database
        return try await onOwnThread { try database.shardRows() }
    }

    func ownership() async throws -> Ownership { try await Ownership(self.nodes.database) }

    func note(takenForDead nodes: [String]) { self.history.takenForDead = nodes }

    /// From now on only a newer owner may append.
    func noteOwners() async throws { self.history.earlier = try await self.rows() }

    /// Waits until the database holds more than these events, or nothing is to be waited for any more.
    func untilStored(moreThan before: [Int: History.ShardRows], orUntil isOver: () -> Bool) async throws {
        while try await self.rows().values.map(\.head).reduce(0, +) == before.values.map(\.head).reduce(0, +), !isOver()
        {
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// - Parameter node: whose log is read.
    func violations(on node: NodeProcess) async throws -> [Violation] {
        self.history.logs[node.url] = try await node.log()
        self.history.shards = try await self.rows()
        return self.history.violations
    }
}
