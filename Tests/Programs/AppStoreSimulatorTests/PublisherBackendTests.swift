import AppStoreSimulator
import AsyncHTTPClient
import Foundation
import Hummingbird
import Logging
import NIOCore
import NIOHTTP1
import PerennialTestSupport
import ServiceLifecycle
import Subscriptions
import Synchronization
import Testing

/// What the publisher's backend asks for, and what its customers have, by the simulation alone: without a node.
@Suite(.timeLimit(.minutes(10))) struct PublisherBackendTests {
    /// Runs a simulator that has caught up with the present for as long as `body` takes.
    private func withSimulator(
        seed: UInt64 = 1, subscribers: Int = 60, _ body: (AppStoreSimulator, _ port: Int) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { path in
            var configuration = SimulatorConfiguration(keysDirectory: path)
            configuration.scenario = .customers
            configuration.subscribers = subscribers
            configuration.seed = seed
            configuration.speed = 1e9
            try await withCaughtUpSimulator(configuration, body)
        }
    }

    private func requests(of simulator: AppStoreSimulator) -> [BackendRequest] {
        simulator.backendRequests.entries(after: nil, limit: .max).entries.map(\.request)
    }

    /// The named customers come first: their subscriptions always have the same ids.
    private static let subscription = Dictionary(
        uniqueKeysWithValues: Scenario.customers.namedCustomers.map { ($0.name, $0.originalTransactionID) })

    private func subscription(of name: String) throws -> String { try #require(Self.subscription[name]) }

    // MARK: What is asked for

    @Test func `the same seed asks for the same`() async throws {
        struct Asked: Hashable {
            let after: Int64
            let customer: String
            let action: String
        }
        func asked(seed: UInt64) async throws -> [Asked] {
            var asked: [Asked] = []
            try await self.withSimulator(seed: seed) { simulator, _ in
                asked = self.requests(of: simulator).map { request in
                    // A grant's dates are those of its day.
                    var action = "\(request.action)"
                    if case .grant(let grant) = request.action { action = grant.id }
                    return Asked(
                        after: request.due.milliseconds - simulator.time.start.milliseconds,
                        customer: request.customerID,
                        action: action)
                }
            }
            return Array(asked.prefix(40))
        }
        let first = try await asked(seed: 1)
        #expect(first.count == 40)
        #expect(try await asked(seed: 1) == first)
        #expect(try await asked(seed: 2) != first)
    }

    @Test func `requests are numbered in the order in which they are due`() async throws {
        try await self.withSimulator { simulator, _ in
            let requests = self.requests(of: simulator)
            #expect(requests.map(\.number) == Array(requests.indices))
            #expect(zip(requests, requests.dropFirst()).allSatisfy { $0.due <= $1.due })
        }
    }

    @Test func `both devices of a customer post the same purchase`() async throws {
        try await self.withSimulator { simulator, _ in
            let id = try self.subscription(of: "Anna")
            let posts = self.requests(of: simulator).filter { $0.customerID == "anna" }
            #expect(
                posts.map(\.action) == Array(repeating: .post(originalTransactionID: id, restores: false), count: 2))
            #expect(posts.allSatisfy { !$0.isToBeRefused })
        }
    }

    @Test func `who carries a token as id posts nothing`() async throws {
        try await self.withSimulator { simulator, _ in
            let fay = try #require(Scenario.customers.people.first { $0.name == "Fay" }?.customerID)
            let id = try self.subscription(of: "Fay")
            #expect(!self.requests(of: simulator).contains { $0.customerID == fay })
            let bought = try #require(simulator.truths.truth(of: id)?.changes.first?.from)
            #expect(simulator.customers.holdings(of: fay, at: bought)?.streams == [id])
            #expect(simulator.customers.holdings(of: fay, at: bought - .seconds(1)) == nil)
        }
    }

    @Test func `a token is registered before anybody buys with it`() async throws {
        try await self.withSimulator { simulator, _ in
            let token = try #require(Scenario.customers.people.first { $0.name == "Gus" }?.token)
            let id = try self.subscription(of: "Gus")
            let requests = self.requests(of: simulator).filter { $0.customerID == "gus" }
            #expect(requests.map(\.action) == [.register(token: token)])
            let bought = try #require(simulator.truths.truth(of: id)?.changes.first?.from)
            #expect(requests[0].due <= bought)
            #expect(simulator.customers.holdings(of: "gus", at: bought)?.streams == [id])
            #expect(simulator.customers.holdings(of: token, at: bought) == nil)
        }
    }

    /// Most buy with a token that is their id; of the others some buy before they have an account.
    @Test func `the crowd has ids of every kind`() async throws {
        try await self.withSimulator(subscribers: 200) { simulator, _ in
            let ids = try #require(simulator.customers.customers(after: nil, limit: .max)).customers.map(\.id)
            let crowd = ids.filter { $0.hasPrefix("u-") && !$0.contains("family") }
            let anonymous = ids.filter { $0.hasPrefix("anonymous-") && $0 != "anonymous-ben" }
            let tokens = ids.filter { UUID(uuidString: $0) != nil }
            #expect(tokens.count > crowd.count)
            #expect(crowd.count > anonymous.count)
            #expect(anonymous.count > 5)
            #expect(ids.contains { $0.hasPrefix("u-") && $0.contains("family") })
            #expect(Set(ids).count == ids.count)
            let moves = Set(
                self.requests(of: simulator).compactMap { request -> String? in
                    guard case .move(let target) = request.action else { return nil }
                    return target == request.customerID.replacing("anonymous-", with: "u-") ? request.customerID : nil
                })
            #expect(moves.count > 5)
            #expect(moves.isSubset(of: anonymous))
        }
    }

    // MARK: What is true

    @Test func `what was bought anonymously is somebody's once they sign in`() async throws {
        try await self.withSimulator { simulator, _ in
            let id = try self.subscription(of: "Ben")
            let move = try #require(
                self.requests(of: simulator).first { $0.customerID == "anonymous-ben" && $0.action == .move(to: "ben") }
            )
            let board = simulator.customers
            #expect(board.holdings(of: "anonymous-ben", at: move.due - .seconds(1))?.streams == [id])
            #expect(board.holdings(of: "ben", at: move.due - .seconds(1)) == nil)
            #expect(board.holdings(of: "anonymous-ben", at: move.due)?.movedTo == "ben")
            #expect(board.holdings(of: "anonymous-ben", at: move.due)?.streams == [])
            #expect(board.holdings(of: "ben", at: move.due)?.streams == [id])
            #expect(board.holdings(of: "ben", at: move.due)?.movedTo == nil)
        }
    }

    @Test func `what is paid on the web is one grant that goes on`() async throws {
        try await self.withSimulator { simulator, _ in
            let grants = self.requests(of: simulator).compactMap { request -> (Moment, SimulatedGrant)? in
                guard request.customerID == "clara", case .grant(let grant) = request.action else { return nil }
                return (request.due, grant)
            }
            #expect(grants.count >= 3)
            #expect(Set(grants.map(\.1.id)) == ["web-basic"])
            #expect(Set(grants.map(\.1.from)) == [grants[0].0])
            // Each is there before the one before ends.
            #expect(zip(grants, grants.dropFirst()).allSatisfy { $1.0 < $0.1.until && $0.1.until < $1.1.until })
            let id = try self.subscription(of: "Clara")
            let now = simulator.truths.settled
            #expect(simulator.truths.truth(of: id)?.standing(at: now)?.isEntitled == false)
            #expect(simulator.customers.holdings(of: "clara", at: now)?.streams == [id])
            #expect(simulator.customers.holdings(of: "clara", at: now)?.grants.map(\.entitlement) == ["basic"])
            #expect(simulator.customers.holdings(of: "clara", at: grants[0].0 - .seconds(1))?.grants == [])
        }
    }

    @Test func `what a family member has is the member's`() async throws {
        try await self.withSimulator { simulator, _ in
            let now = simulator.truths.settled
            let own = try self.subscription(of: "Dora")
            #expect(simulator.customers.holdings(of: "dora", at: now)?.streams == [own])
            for number in 1...2 {
                let streams = try #require(
                    simulator.customers.holdings(of: "dora-family-\(number)", at: now)?.streams)
                #expect(streams.count == 1)
                #expect(streams != [own])
                let truth = try #require(simulator.truths.truth(of: streams[0]))
                #expect(truth.changes.map(\.value.state) == [.subscribed, .revoked])
            }
        }
    }

    @Test func `what is restored under another account stays where it was`() async throws {
        try await self.withSimulator { simulator, _ in
            let id = try self.subscription(of: "Emil")
            let posts = self.requests(of: simulator).filter { $0.action.posts(id) }
            #expect(posts.map(\.customerID) == ["emil", "emil-2", "emil-2"])
            #expect(posts.map(\.isToBeRefused) == [false, true, true])
            #expect(
                posts.map(\.action) == [false, false, true].map { .post(originalTransactionID: id, restores: $0) })
            let now = simulator.truths.settled
            #expect(simulator.customers.holdings(of: "emil", at: now)?.streams == [id])
            #expect(simulator.customers.holdings(of: "emil-2", at: now)?.streams == [])
        }
    }

    @Test func `a reviewer buys in Sandbox`() async throws {
        try await self.withSimulator { simulator, port in
            let id = try self.subscription(of: "App Review")
            #expect(simulator.truths.truth(of: id)?.environment == .sandbox)
            #expect(simulator.truths.truth(of: try self.subscription(of: "Anna"))?.environment == nil)
            let truth = try await self.get("http://127.0.0.1:\(port)/truth/customers/app-review").body
            let holdings = try #require(truth["holdings"] as? [[String: Any]])
            #expect(holdings.map { $0["environment"] as? String } == ["Sandbox"])
            #expect(holdings.map { $0["entitled"] as? Bool } == [true])
            #expect(truth["entitled"] as? Bool == false)
        }
    }

    // MARK: Over HTTP

    private func get(_ url: String) async throws -> (status: Int, body: [String: Any]) {
        let response = try await HTTPClient.shared.execute(HTTPClientRequest(url: url), timeout: .minutes(9))
        let body = try await response.body.collect(upTo: 1 << 22)
        let object = try JSONSerialization.jsonObject(with: Data(body.readableBytesView))
        return (Int(response.status.code), object as? [String: Any] ?? [:])
    }

    @Test func `the truth of a customer is told over HTTP`() async throws {
        try await self.withSimulator { simulator, port in
            let url = "http://127.0.0.1:\(port)/truth/customers"
            let now = simulator.truths.settled
            let clara = try await self.get("\(url)/clara?at=\(now)").body
            #expect(clara["customerId"] as? String == "clara")
            #expect(clara["at"] as? String == now.description)
            #expect(clara["entitled"] as? Bool == true)
            #expect(clara["movedTo"] is NSNull)
            let holdings = try #require(clara["holdings"] as? [[String: Any]])
            #expect(holdings.map { $0["kind"] as? String } == ["subscription", "grant"])
            #expect(holdings.map { $0["state"] as? String } == ["revoked", "granted"])
            #expect(holdings[1]["id"] as? String == "web-basic")
            // Nobody plays the backend here.
            let missing = try #require(clara["missing"] as? [[String: Any]])
            #expect(missing.count > 2)
            #expect(missing.allSatisfy { $0["backendRequest"] is Int })

            #expect(try await self.get("\(url)/anonymous-ben").body["movedTo"] as? String == "ben")
            let moments = [now - .days(1), now].map { "at=\($0)" }.joined(separator: "&")
            #expect((try await self.get("\(url)/clara?\(moments)").body["answers"] as? [Any])?.count == 2)
            #expect(try await self.get("\(url)/nobody").status == 404)
            #expect(try await self.get("\(url)/clara?at=\(simulator.time.start - .days(1))").status == 404)
            #expect(try await self.get("\(url)/clara?at=yesterday").status == 400)
        }
    }

    @Test func `customers are listed in pages`() async throws {
        try await self.withSimulator { simulator, port in
            let url = "http://127.0.0.1:\(port)/truth/customers"
            var listed: [String] = []
            var next: String?
            repeat {
                let page = try await self.get(url + "?limit=7" + (next.map { "&after=\($0)" } ?? "")).body
                let customers = try #require(page["customers"] as? [[String: Any]])
                #expect(customers.count <= 7)
                #expect(customers.allSatisfy { $0["since"] is String })
                #expect(page["environment"] as? String == "Production")
                listed += customers.compactMap { $0["customerId"] as? String }
                next = page["next"] as? String
            } while next != nil
            #expect(Set(listed).count == listed.count)
            #expect(Set(listed).isSuperset(of: ["anna", "ben", "anonymous-ben", "clara", "dora-family-1", "emil-2"]))
            #expect(try await self.get("\(url)?after=nobody").status == 400)
            #expect(try await self.get("\(url)?limit=0").status == 400)
        }
    }

    @Test func `what is asked for can be asked by another backend`() async throws {
        try await self.withSimulator { simulator, port in
            let page = try await self.get("http://127.0.0.1:\(port)/backend?limit=1000").body
            let requests = try #require(page["requests"] as? [[String: Any]])
            #expect(requests.count >= 40)
            #expect(requests.allSatisfy { $0["state"] as? String == "waiting" })
            let first = try #require(requests.first)
            #expect(first["method"] as? String == "POST")
            #expect(first["path"] as? String == "/v1/transactions")
            let body = try #require(first["body"] as? [String: Any])
            #expect(body["customerId"] as? String == "anna")
            let transaction = try DecodedNotification.payload(try #require(body["signedTransaction"] as? String))
            #expect(transaction["originalTransactionId"] as? String == (try self.subscription(of: "Anna")))
            let after = try await self.get("http://127.0.0.1:\(port)/backend?after=0&limit=1").body
            #expect((after["requests"] as? [[String: Any]])?.map { $0["number"] as? Int } == [1])
            #expect(after["next"] as? Int == 1)
            #expect(try await self.get("http://127.0.0.1:\(port)/backend?after=x").status == 400)
        }
    }
}

extension BackendRequest.Action {
    fileprivate func posts(_ id: String) -> Bool {
        if case .post(let posted, _) = self { posted == id } else { false }
    }
}
