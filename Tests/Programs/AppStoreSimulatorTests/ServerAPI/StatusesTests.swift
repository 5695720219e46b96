import AppStoreSimulator
import Crypto
import Subscriptions
import Testing

@Suite(.timeLimit(.minutes(10))) struct StatusesTests {
    @Test func saysWhatIsTrueOfEverySubscription() async throws {
        try await withTemporaryDirectory { path in
            try await RunningStore.with(RunningStore.configuration(path, subscribers: 40)) { store in
                var found: [String: Int] = [:]
                for id in store.sold {
                    // when the statuses of its customer are asked for
                    let answer = try await store.client.get("/inApps/v1/subscriptions/\(id)")
                    #expect(answer.status == 200)
                    #expect(answer.body["bundleId"] as? String == "com.example.app")
                    #expect(answer.body["environment"] as? String == "Production")
                    #expect(answer.body["appAppleId"] as? Int == 1_234_567_890)
                    let groups = try #require(answer.body["data"] as? [[String: Any]])
                    #expect(
                        Set(groups.compactMap { $0["subscriptionGroupIdentifier"] as? String }).count == groups.count)

                    // then each is what it really is, and what is signed is about it
                    for item in groups.flatMap({ $0["lastTransactions"] as? [[String: Any]] ?? [] }) {
                        let id = try #require(item["originalTransactionId"] as? String)
                        let truth = try #require(store.simulator.truths.truth(of: id))
                        #expect(item["status"] as? Int == truth.status(at: store.simulator.time.now))
                        let transaction = try DecodedNotification.payload(
                            try #require(item["signedTransactionInfo"] as? String))
                        let renewal = try DecodedNotification.payload(
                            try #require(item["signedRenewalInfo"] as? String))
                        #expect(transaction["originalTransactionId"] as? String == id)
                        #expect(renewal["originalTransactionId"] as? String == id)
                        #expect(transaction["signedDate"] as? Int == renewal["signedDate"] as? Int)
                        found[id] = item["status"] as? Int
                    }
                }
                let subscriptions = store.sold.filter {
                    store.simulator.truths.truth(of: $0)?.status(at: store.simulator.time.now) != nil
                }
                #expect(Set(found.keys) == Set(subscriptions))
                #expect(Set(found.values).isSuperset(of: [1, 2]))
            }
        }
    }

    @Test func onlyTheStatusesThatWereAskedFor() async throws {
        try await withTemporaryDirectory { path in
            try await RunningStore.with(RunningStore.configuration(path)) { store in
                let id = Scenario.default.namedCustomers[2].originalTransactionID  // revoked
                for (query, count) in [("status=5", 1), ("status=1&status=4", 0), ("status=1&status=5", 1)] {
                    let answer = try await store.client.get("/inApps/v1/subscriptions/\(id)?\(query)")
                    #expect((answer.body["data"] as? [Any])?.count == count)
                }
                #expect(try await store.client.get("/inApps/v1/subscriptions/\(id)?status=6").code == 4_000_031)
                #expect(try await store.client.get("/inApps/v1/subscriptions/abc").code == 4_000_006)
                let unknown = try await store.client.get("/inApps/v1/subscriptions/2000000000000000")
                #expect(unknown.status == 404)
                #expect(unknown.code == 4_040_010)
            }
        }
    }

    @Test func refusesTokensThatAreNotGood() async throws {
        try await withTemporaryDirectory { path in
            try await RunningStore.with(RunningStore.configuration(path)) { store in
                let (client, path) = (store.client, "/inApps/v1/subscriptions/\(store.sold[0])")
                let now = Int(SimulatedTime.realNow().milliseconds / 1_000)
                let wrong = [
                    nil, "", "a.b.c", try client.token(header: ["kid": "ABCDEFGHIJ"]),
                    try client.token(header: ["alg": "none"]), try client.token(claims: ["iss": "another"]),
                    try client.token(claims: ["bid": "com.example.other"]),
                    try client.token(claims: ["aud": "another"]),
                    try client.token(claims: ["exp": now - 1, "iat": now - 300]),
                    try client.token(claims: ["exp": now + 3_700]), try client.token(claims: ["iat": now + 600]),
                    try client.token(key: P256.Signing.PrivateKey()),
                ]
                for token in wrong {
                    let answer = try await client.ask("GET", path, token: token)
                    #expect(answer.status == 401)
                    #expect(answer.isEmpty)
                }
                let good = try client.token(claims: ["exp": now + 3_500])
                #expect(try await client.ask("GET", path, token: good).status == 200)
            }
        }
    }
}
