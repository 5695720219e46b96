import AppStoreSimulator
import AsyncHTTPClient
import Subscriptions
import Testing

@Suite(.timeLimit(.minutes(10))) struct APITroubleTests {
    @Test func enforcesLimitsByEndpoint() async throws {
        try await withTemporaryDirectory { path in
            // given a store that allows one request an hour, or nearly so
            var configuration = RunningStore.configuration(path)
            configuration.limits = 1 / (50 * 3_600)
            try await RunningStore.with(configuration) { store in
                let id = store.sold[0]
                #expect(try await store.client.get("/inApps/v1/subscriptions/\(id)").status == 200)

                // when more is asked for
                let answer = try await store.client.get("/inApps/v1/subscriptions/\(id)")

                // then it says when there will be room, in milliseconds since 1970, and other endpoints are not concerned
                #expect(answer.status == 429)
                #expect(answer.code == 4_290_000)
                let date = try #require(answer.retryAfter.flatMap { Int64($0) })
                let now = SimulatedTime.realNow().milliseconds
                #expect((now + 3_000_000...now + 3_600_000).contains(date))
                #expect(try await store.client.get("/inApps/v1/transactions/\(id)").status == 200)
            }
        }
    }

    @Test func goesWrongOnDemand() async throws {
        try await withTemporaryDirectory { path in
            try await RunningStore.with(RunningStore.configuration(path)) { store in
                let path = "/inApps/v1/subscriptions/\(store.sold[0])"
                func trouble(_ change: (inout APIDisturbances) -> Void) {
                    var disturbances = APIDisturbances()
                    change(&disturbances)
                    store.simulator.apiDisturbances = disturbances
                }

                trouble { $0.serverError = 1 }
                let error = try await store.client.get(path)
                #expect(error.status == 500)
                #expect(error.code == 5_000_001)

                trouble { $0.accountNotFound = 1 }
                #expect(try await store.client.get(path).code == 4_040_002)

                trouble { $0.emptyList = 1 }
                let empty = try await store.client.get(path)
                #expect(empty.status == 200)
                #expect((empty.body["data"] as? [Any])?.isEmpty == true)

                trouble { $0.cutBody = 1 }
                await #expect(throws: (any Error).self) { try await store.client.get(path) }

                trouble { _ in }
                #expect(try await store.client.get(path).status == 200)
            }
        }
    }

    @Test func recordsRequests() async throws {
        try await withTemporaryDirectory { path in
            try await RunningStore.with(RunningStore.configuration(path)) { store in
                let id = store.sold[0]
                _ = try await store.client.get("/inApps/v1/subscriptions/\(id)?status=1&status=4")
                _ = try await store.client.put(
                    "/inApps/v1/transactions/\(id)/appAccountToken", ["appAccountToken": "x"])
                let entries = store.simulator.requests.entries
                #expect(entries.map(\.method) == ["GET", "PUT"])
                #expect(entries[0].path == "/inApps/v1/subscriptions/\(id)")
                #expect(entries[0].query == "status=1&status=4")
                #expect(String(decoding: entries[1].body, as: UTF8.self) == #"{"appAccountToken":"x"}"#)
                #expect(entries.map(\.status) == [200, 400])
            }
        }
    }
}
