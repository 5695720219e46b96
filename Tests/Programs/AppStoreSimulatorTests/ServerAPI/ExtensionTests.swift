import AppStoreSimulator
import Foundation
import Subscriptions
import Testing

@Suite(.timeLimit(.minutes(10))) struct ExtensionTests {
    private static var request: [String: Any] {
        ["extendByDays": 10, "extendReasonCode": 1, "requestIdentifier": "because"]
    }

    private func path(_ id: String) -> String { "/inApps/v1/subscriptions/extend/\(id)" }

    /// By `originalTransactionId`: the end of the newest period.
    private func ends(_ store: RunningStore, _ id: String) async throws -> [String: Int64] {
        let answer = try await store.client.get("/inApps/v1/subscriptions/\(id)")
        let items = (answer.body["data"] as? [[String: Any]] ?? []).flatMap {
            $0["lastTransactions"] as? [[String: Any]] ?? []
        }
        return try items.reduce(into: [:]) { ends, item in
            let transaction = try DecodedNotification.payload(try #require(item["signedTransactionInfo"] as? String))
            ends[try #require(item["originalTransactionId"] as? String)] = transaction["expiresDate"] as? Int64
        }
    }

    @Test func movesTheRenewalForGood() async throws {
        try await withTemporaryDirectory { path in
            let configuration = RunningStore.configuration(path)
            var extended = (id: "", end: Int64(0))
            try await RunningStore.with(configuration) { store in
                for id in store.sold {
                    // when a renewal date is moved
                    let before = try await self.ends(store, id)[id]
                    let answer = try await store.client.put(self.path(id), Self.request)
                    guard answer.status == 200 else {
                        #expect([4_030_004, 4_030_005, 4_030_007].contains(answer.code))
                        continue
                    }

                    // then it is later by so many days, and in truth
                    let end = try #require(answer.body["effectiveDate"] as? Int64)
                    #expect(end == (before ?? 0) + 10 * 86_400_000)
                    #expect(answer.body["success"] as? Bool == true)
                    #expect(answer.body["originalTransactionId"] as? String == id)
                    #expect(answer.body["webOrderLineItemId"] is String)
                    #expect(try await self.ends(store, id)[id] == end)
                    let standing = store.simulator.truths.truth(of: id)?.standing(at: Moment(milliseconds: end - 1))
                    #expect(standing?.expiresDate?.milliseconds == end)
                    extended = (id, end)
                }
                #expect(extended.end > 0)

                // and after two in a year no more
                var codes: [Int?] = []
                for _ in 1...2 { codes.append(try await store.client.put(self.path(extended.id), Self.request).code) }
                #expect(codes.last == 4_030_005)
                extended.end = try #require(try await self.ends(store, extended.id)[extended.id])
            }

            // and it holds after a restart
            try await RunningStore.with(configuration) { store in
                let ends = try await self.ends(store, extended.id)
                #expect(ends[extended.id] == extended.end)
            }
        }
    }

    @Test func movesEverybodysRenewalAndSaysHowItWent() async throws {
        try await withTemporaryDirectory { path in
            let configuration = RunningStore.configuration(path)
            let product = try #require(configuration.scenario.products.first { $0.plan != nil }?.id)
            try await RunningStore.with(configuration) { store in
                // when everybody's is moved, twice by the same request
                let (mass, request) = ("/inApps/v1/subscriptions/extend/mass", UUID().uuidString)
                let body = Self.request.merging(["productId": product, "requestIdentifier": request]) { $1 }
                for _ in 1...2 {
                    let answer = try await store.client.post(mass, body)
                    #expect(answer.status == 200)
                    #expect(answer.body["requestIdentifier"] as? String == request)
                }

                // then its status is known, and only under this product
                let status = try await store.client.get("\(mass)/\(product)/\(request)")
                #expect(status.body["requestIdentifier"] as? String == request)
                #expect(status.body["complete"] is Bool)
                #expect(try await store.client.get("\(mass)/other/\(request)").code == 4_040_009)
                #expect(try await store.client.get("\(mass)/\(product)/\(UUID().uuidString)").code == 4_040_009)
                let wrong: [(String, Any, Int)] = [
                    ("extendByDays", 91, 4_000_009), ("extendReasonCode", 4, 4_000_010),
                    ("requestIdentifier", "x", 4_000_011), ("productId", "none", 4_000_023),
                    ("storefrontCountryCodes", [String](), 4_000_027), ("storefrontCountryCodes", ["us"], 4_000_028),
                ]
                for (name, value, code) in wrong {
                    #expect(try await store.client.post(mass, body.merging([name: value]) { $1 }).code == code)
                }
            }
        }
    }

    @Test func refusesExtensionsThatCannotBe() async throws {
        try await withTemporaryDirectory { path in
            try await RunningStore.with(RunningStore.configuration(path)) { store in
                let unknown = try await store.client.put(self.path("2000999999990001"), Self.request)
                #expect(unknown.code == 4_040_005)
                #expect(try await store.client.put(self.path("abc"), Self.request).code == 4_000_008)
                let revoked = Scenario.default.namedCustomers[2].originalTransactionID
                #expect(try await store.client.put(self.path(revoked), Self.request).code == 4_030_004)
                let long = Self.request.merging(["requestIdentifier": String(repeating: "a", count: 129)]) { $1 }
                #expect(try await store.client.put(self.path(revoked), long).code == 4_000_011)
            }
        }
    }
}
