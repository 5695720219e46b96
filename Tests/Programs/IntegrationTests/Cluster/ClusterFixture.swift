import AppStoreSimulator
import Foundation
import PerennialTestSupport
import PostgresHarness
import Testing
import ZeroMQ

/// What nodes of one database need: a directory and a key each, and notifications to be sent.
struct ClusterFixture {
    let corpus: SignedCorpus
    let database: PostgresDatabase
    private let directories: [TemporaryDirectory]

    /// - Parameter server: nil for the one that all tests share.
    init(nodes count: Int, corpus: SignedCorpus, server: PostgresServer? = nil) async throws {
        self.corpus = corpus
        self.database = try await onOwnThread { try (server ?? PostgresServer.shared()).makeDatabase() }
        self.directories = try (0..<count).map { _ in try TemporaryDirectory() }
        for directory in self.directories {
            let made = try await PerennialProcess.run("keys", "new", "--out", directory.file("curve.key"))
            try #require(made.status == 0, "\(made.errors)")
        }
    }

    /// The address of the database: however busy the machine is, a node waits for it.
    var store: String { self.database.url("sslmode=disable&connect_timeout=60") }

    /// By which others know a node, in Z85.
    func publicKey(_ number: Int) throws -> String {
        let secret = try String(contentsOfFile: self.directories[number].file("curve.key"), encoding: .utf8)
        let bytes = try #require(Z85.bytes(of: secret.trimmingCharacters(in: .whitespacesAndNewlines)))
        return try #require(Z85.text(of: try CurveKeyPair(secretKey: bytes).publicKey))
    }

    /// Starts a node, and returns when it is ready.
    /// - Parameters:
    ///   - cluster: further keys of that section.
    ///   - publishes: on two free ports, so that each node mirrors the others.
    ///   - section: one more.
    ///   - app: further keys of the app.
    ///   - store: the address of the database, as the node goes there; nil for its own.
    ///   - wrapper: put before the command.
    ///   - readiness: what has to be answered with 200.
    func start(
        _ number: Int, cluster: String, publishes: Bool = false, section: String = "", app: String = "",
        store: String? = nil, wrapper: [String] = [], readiness: String = "/readyz"
    ) async throws -> NodeProcess {
        let sections = self.sections(
            number, store: store ?? self.store, cluster: "bind: \"127.0.0.1:0\", \(cluster)",
            publishes: publishes)
        return try await NodeProcess.start(
            in: self.directories[number], root: self.corpus.root, sections: "\(sections)\n\(section)", app: app,
            wrapper: wrapper, readiness: readiness)
    }

    /// Starts a node, and does not wait for it.
    /// - Parameters:
    ///   - store: the address of the database, as the node goes there.
    ///   - cluster: all keys of that section but the one of the key.
    ///   - publishes: on two free ports, so that each node mirrors the others.
    func launch(_ number: Int, store: String, cluster: String, publishes: Bool = false) throws -> ChildProcess {
        try NodeProcess.launch(
            in: self.directories[number], root: self.corpus.root,
            sections: self.sections(number, store: store, cluster: cluster, publishes: publishes))
    }

    private func sections(_ number: Int, store: String, cluster: String, publishes: Bool) -> String {
        let sections = """
            node: { id: node-\(number) }
            store: { url: "\(store)" }
            cluster: { curveKeyFile: curve.key, \(cluster) }
            """
        return publishes ? "\(sections)\nstream: { bind: \"127.0.0.1:0\" }" : sections
    }

    /// Waits until each of `nodes` owns some of the shards, and together they own all.
    func untilDivided(among nodes: [NodeProcess]) async throws {
        while true {
            var owned: [Int] = []
            for node in nodes { owned.append(try await node.ownedShards()) }
            if owned.allSatisfy({ $0 > 0 }), owned.reduce(0, +) == NodeProcess.shardCount { return }
            try await Task.sleep(for: .milliseconds(100))
        }
    }

    /// Each node's log holds each of these once, and no others; soon at least.
    func expectOnce(_ notifications: some Sequence<SignedNotification>, on nodes: [NodeProcess]) async throws {
        try await self.database.untilInboxIsApplied()
        let sent = Set(notifications.map(\.uuid))
        for node in nodes {
            let uuids = try await node.allEvents().compactMap { $0["notificationUUID"] as? String }
            #expect(Set(uuids) == sent)
            #expect(uuids.count == sent.count)
        }
    }
}
