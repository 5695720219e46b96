import AppStoreSimulator
import Foundation
import NIOCore
import Subscriptions
import Testing

@Suite(.timeLimit(.minutes(10))) struct NotificationHistoryTests {
    private static let path = "/inApps/v1/notifications/history"
    /// Nobody listens there.
    private static let nowhere = "http://127.0.0.1:1/"

    private struct Item {
        let signedPayload: String
        let payload: [String: Any]
        let attempts: [(date: Int64, result: String)]

        init(_ item: [String: Any]) throws {
            self.signedPayload = try #require(item["signedPayload"] as? String)
            self.payload = try DecodedNotification.payload(self.signedPayload)
            let attempts = try #require(item["sendAttempts"] as? [[String: Any]])
            self.attempts = attempts.map {
                (($0["attemptDate"] as? Int64) ?? 0, ($0["sendAttemptResult"] as? String) ?? "")
            }
        }

        var uuid: String { self.payload["notificationUUID"] as? String ?? "" }
        var type: String { self.payload["notificationType"] as? String ?? "" }
    }

    /// All pages.
    private func items(_ store: RunningStore, _ body: [String: Any] = [:]) async throws -> [Item] {
        let now = store.simulator.time.now
        let window: [String: Any] = [
            "startDate": (now - .days(171)).milliseconds, "endDate": now.milliseconds,
        ]
        let body = window.merging(body) { $1 }
        var items: [Item] = []
        var token: String?
        repeat {
            let query = token.map { "?paginationToken=\($0)" } ?? ""
            let answer = try await store.client.post(Self.path + query, body)
            try #require(answer.status == 200)
            let page = try #require(answer.body["notificationHistory"] as? [[String: Any]])
            #expect(page.count <= 20)
            items += try page.map(Item.init)
            token = answer.body["paginationToken"] as? String
            #expect(answer.body["hasMore"] as? Bool == (token != nil))
        } while token != nil
        return items
    }

    /// The clock runs so fast that all retries are made within a test.
    private func configuration(_ path: String, deliversTo url: String) -> SimulatorConfiguration {
        var configuration = RunningStore.configuration(path)
        configuration.speed = 5_000_000
        configuration.deliverTo = [url]
        // A receiver that is paused is not one that fails.
        configuration.patience = .hours(1)
        return configuration
    }

    @Test func customersLiveOnThroughAnOutage() async throws {
        try await withTemporaryDirectory { path in
            // given a store whose receiver has been down for half a year
            var configuration = RunningStore.configuration(path, subscribers: 100)
            configuration.deliverTo = [Self.nowhere]
            try await RunningStore.with(configuration) { store in
                // when what failed is asked for
                let items = try await self.items(store, ["onlyFailures": true])

                // then it is everything, oldest first
                #expect(Set(items.map(\.uuid)).count == items.count)
                #expect(items.allSatisfy { $0.attempts.allSatisfy { $0.result == "SOCKET_ISSUE" } })
                let firsts = items.map { $0.attempts[0].date }
                #expect(firsts == firsts.sorted())
                #expect(store.simulator.statistics.delivered == 0)

                // and what is older than a week has been given up on after six attempts by the schedule
                let aWeekAgo = (store.simulator.time.now - .days(7)).milliseconds
                let pauses = items.map { item in
                    zip(item.attempts, item.attempts.dropFirst()).map { ($1.date - $0.date) / 3_600_000 }
                }
                let isGivenUp = pauses.map { $0 == [1, 12, 24, 48, 72] }
                #expect(isGivenUp.contains(true))
                #expect(zip(firsts, isGivenUp).allSatisfy { $0 >= aWeekAgo || $1 })
                #expect(isGivenUp.last == false)
            }
        }
    }

    @Test func everythingWaitsForAReceiverWhileTheClockRunsFast() async throws {
        try await withTemporaryDirectory { path in
            // given a store that lives through outages in real time only
            var configuration = self.configuration(path, deliversTo: Self.nowhere)
            configuration.outages = .livedThroughInRealTime
            // when nobody has listened for some attempts, and for longer than its past takes
            let end = ContinuousClock.now + .seconds(4)
            try await RunningStore.with(
                configuration, once: { $0.statistics.failedAttempts >= 3 && ContinuousClock.now > end }
            ) { store in
                // then nobody has lived, and nothing was given up on
                #expect(!store.simulator.hasCaughtUp)
                #expect(store.simulator.statistics.givenUp == 0)
            }
        }
    }

    @Test func remembersWhatArrivedAsItWasSent() async throws {
        try await withTemporaryDirectory { path in
            let endpoint = Endpoint()
            try await endpoint.run { url in
                let configuration = self.configuration(path, deliversTo: url)
                try await RunningStore.with(configuration, once: { $0.hasCaughtUp && $0.statistics.waiting == 0 }) {
                    store in
                    // when everything is asked for, in pages
                    let items = try await self.items(store)

                    // then it is the very text that arrived
                    #expect(Set(items.map(\.uuid)) == Set(endpoint.payloads.keys))
                    #expect(items.count > 40)
                    for item in items {
                        #expect(item.signedPayload == endpoint.payloads[item.uuid])
                        #expect(item.attempts.map(\.result) == ["SUCCESS"])
                    }
                    #expect(try await self.items(store, ["onlyFailures": true]).isEmpty)

                    // and filters leave out the rest
                    let renewals = try await self.items(store, ["notificationType": "DID_RENEW"])
                    #expect(!renewals.isEmpty)
                    #expect(renewals.count == items.count { $0.type == "DID_RENEW" })
                    let id = Scenario.default.namedCustomers[1].originalTransactionID
                    let customer = try await self.items(store, ["transactionId": id])
                    #expect(!customer.isEmpty)
                    #expect(customer.count < items.count)
                }
            }
        }
    }

    @Test func remembersWhatHappenedBeforeARestart() async throws {
        try await withTemporaryDirectory { path in
            // given a store whose receiver refused for a while, and that was stopped
            let endpoint = Endpoint()
            try await endpoint.run { url in
                var configuration = self.configuration(path, deliversTo: url)
                configuration.speed = 100_000
                endpoint.isRefusing = true
                var before: [Item] = []
                try await RunningStore.with(configuration, once: { $0.statistics.failedAttempts >= 20 }) { store in
                    endpoint.isRefusing = false
                    while store.simulator.statistics.delivered < 10 { try await Task.sleep(for: .milliseconds(5)) }
                    before = try await self.items(store)
                }

                // when it goes on
                try await RunningStore.with(configuration, once: { $0.truths.settled > $0.time.start }) { store in
                    let after = try await self.items(store)

                    // then it knows of all that was sent, and of the attempts that failed
                    #expect(before.count >= 10)
                    let attempts = Dictionary(uniqueKeysWithValues: after.map { ($0.uuid, $0.attempts.map(\.result)) })
                    for item in before {
                        let now = try #require(attempts[item.uuid])
                        #expect(now.starts(with: item.attempts.map(\.result)))
                    }
                    #expect(before.contains { $0.attempts[0].result == "UNSUCCESSFUL_HTTP_RESPONSE_CODE" })
                }
            }
        }
    }

    @Test func refusesRequestsThatCannotBe() async throws {
        try await withTemporaryDirectory { path in
            try await RunningStore.with(RunningStore.configuration(path)) { store in
                let now = store.simulator.time.now
                let (start, end) = ((now - .days(1)).milliseconds, now.milliseconds)
                let wrong: [([String: Any], Int)] = [
                    (["endDate": end], 4_000_015), (["startDate": "yesterday", "endDate": end], 4_000_015),
                    (["startDate": start], 4_000_016), (["startDate": end, "endDate": start], 4_000_013),
                    (["startDate": (now - .days(181)).milliseconds, "endDate": end], 4_000_012),
                    (["startDate": start, "endDate": end, "notificationType": "NONE"], 4_000_018),
                    (["startDate": start, "endDate": end, "notificationSubtype": "VOLUNTARY"], 4_000_018),
                    (
                        [
                            "startDate": start, "endDate": end, "notificationType": "DID_RENEW",
                            "notificationSubtype": "VOLUNTARY",
                        ], 4_000_018
                    ),
                    (
                        ["startDate": start, "endDate": end, "notificationType": "TEST", "transactionId": "1"],
                        4_000_019
                    ),
                    (["startDate": start, "endDate": end, "transactionId": "1"], 4_040_010),
                ]
                for (body, code) in wrong {
                    let answer = try await store.client.post(Self.path, body)
                    #expect(answer.code == code)
                    #expect(answer.status == code / 10_000)
                    #expect(answer.body["errorMessage"] is String)
                }
                let good: [String: Any] = ["startDate": start, "endDate": end]
                #expect(try await store.client.post(Self.path + "?paginationToken=x", good).code == 4_000_014)
                #expect(try await store.client.post(Self.path).code == 4_000_000)
            }
        }
    }

    // MARK: Test notifications

    @Test func deliversATestNotificationAndTellsWhatCameOfIt() async throws {
        try await withTemporaryDirectory { path in
            let endpoint = Endpoint()
            try await endpoint.run { url in
                let configuration = self.configuration(path, deliversTo: url)
                try await RunningStore.with(configuration) { store in
                    // when one is asked for
                    let asked = try await store.client.post("/inApps/v1/notifications/test")
                    let token = try #require(asked.body["testNotificationToken"] as? String)
                    var answer = try await store.client.get("/inApps/v1/notifications/test/\(token)")
                    while answer.code == 4_040_008 {
                        answer = try await store.client.get("/inApps/v1/notifications/test/\(token)")
                    }

                    // then it arrives, and its status says so
                    let item = try Item(answer.body)
                    #expect(item.type == "TEST")
                    #expect(item.attempts.map(\.result) == ["SUCCESS"])
                    #expect(endpoint.payloads[item.uuid] != nil)
                    let other = "\(UUID().uuidString)_1700000000000"
                    #expect(try await store.client.get("/inApps/v1/notifications/test/\(other)").code == 4_040_008)
                    #expect(try await store.client.get("/inApps/v1/notifications/test/none").code == 4_000_020)
                }
            }
        }
    }

    @Test func testsNothingWithoutAnAddress() async throws {
        try await withTemporaryDirectory { path in
            try await RunningStore.with(RunningStore.configuration(path)) { store in
                let answer = try await store.client.post("/inApps/v1/notifications/test")
                #expect(answer.code == 4_040_007)
            }
        }
    }
}
