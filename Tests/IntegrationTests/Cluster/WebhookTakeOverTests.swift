import AppStoreSimulator
import Foundation
import Hummingbird
import PerennialTestSupport
import Synchronization
import Testing

/// Webhooks of three `perennial serve` processes, of which one is killed and one is stopped on the way.
@Suite(.enabled(if: TestBinary.path != nil, "build the perennial product to run these"))
struct WebhookTakeOverTests {
    private let cluster: ClusterFixture
    private let receiver = Receiver()

    init() async throws {
        self.cluster = try await ClusterFixture(nodes: 3, corpus: SignedCorpus(count: 600, seed: 31))
    }

    /// Refuses every fifteenth message when it comes for the first time.
    private final class Receiver: Sendable {
        private struct State {
            var count = 0
            var refused: Set<String> = []
            var versions: [String: [Int]] = [:]
        }

        private let state = Mutex(State())

        /// By subscription, in the order in which they came.
        var versions: [String: [Int]] { self.state.withLock(\.versions) }

        private func take(_ body: Data, _ message: String) -> HTTPResponse.Status {
            guard let json = try? JSONSerialization.jsonObject(with: body) as? [String: Any],
                let event = (json["data"] as? [String: Any])?["event"] as? [String: Any],
                let stream = event["stream"] as? [String: Any], let id = stream["id"] as? String,
                let kind = stream["kind"] as? String, let version = event["version"] as? Int
            else { return .badRequest }
            return self.state.withLock { state in
                state.count += 1
                guard !state.count.isMultiple(of: 15) || !state.refused.insert(message).inserted else {
                    return .internalServerError
                }
                state.versions["\(kind) \(id)", default: []].append(version)
                return .noContent
            }
        }

        /// Runs while `body` runs; that gets its address.
        func run(_ body: (String) async throws -> Void) async throws {
            let router = Router()
            router.post("/") { request, _ in
                let message = request.headers[.init("webhook-id")!] ?? ""
                return self.take(Data(try await request.body.collect(upTo: 1 << 20).readableBytesView), message)
            }
            try await router.serve { try await body("\($0)/") }
        }
    }

    private func start(_ number: Int) async throws -> NodeProcess {
        try await self.cluster.start(
            number, cluster: "lease: 3s", section: "webhooks: { allow: [\"127.0.0.0/8\"] }")
    }

    /// How many events there are of each stream.
    private func lengths(_ node: NodeProcess) async throws -> [String: Int] {
        try await node.allEvents().reduce(into: [:]) { lengths, event in
            guard let stream = event["stream"] as? [String: Any], let id = stream["id"] as? String,
                let kind = stream["kind"] as? String
            else { return }
            lengths["\(kind) \(id)", default: 0] += 1
        }
    }

    @Test("every version reaches a webhook in its order, while nodes are lost", .timeLimit(.minutes(10)))
    func everyVersionArrives() async throws {
        try await self.receiver.run { address in
            // given
            let nodes = [try await self.start(0), try await self.start(1), try await self.start(2)]
            try await self.cluster.untilDivided(among: nodes)
            let made = try await nodes[1].post("{\"url\":\"\(address)\"}", to: "/v1/webhooks")
            #expect(made.status == 201)

            // when: two nodes are lost while notifications come
            for (index, notification) in self.cluster.corpus.notifications.enumerated() {
                if index == 200 { nodes[2].process.send(SIGKILL) }
                if index == 400 { nodes[1].process.send(SIGTERM) }
                while try await nodes[0].notify(notification.signedPayload) != 200 {}
            }
            try await self.cluster.database.untilInboxIsApplied()

            // then: all arrives, and nothing before what was before it
            let lengths = try await self.lengths(nodes[0])
            #expect(lengths.values.contains { $0 > 2 })
            while true {
                let versions = self.receiver.versions
                if lengths.allSatisfy({ Set(versions[$0.key] ?? []) == Set(1...$0.value) }) { break }
                try await Task.sleep(for: .milliseconds(100))
            }
            for (stream, versions) in self.receiver.versions {
                var seen = 0
                for version in versions where version > seen {
                    #expect(version == seen + 1, "\(stream): \(versions)")
                    seen = version
                }
            }
            nodes[0].process.send(SIGTERM)
            #expect(await nodes[0].process.waitForExit() == 0, "\(nodes[0].process.errorOutput)")
        }
    }
}
