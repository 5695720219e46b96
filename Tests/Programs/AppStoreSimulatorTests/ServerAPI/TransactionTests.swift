import AppStoreSimulator
import Foundation
import Subscriptions
import Testing

@Suite(.timeLimit(.minutes(10))) struct TransactionTests {
    private struct Listed {
        var transactions: [[String: Any]] = []
        var revision: String?
        var pages = 0

        var ids: [String] { self.transactions.compactMap { $0["transactionId"] as? String } }
    }

    private func history(
        _ store: RunningStore, _ id: String, _ query: String = "", after revision: String? = nil,
        path: String = "/inApps/v2/history/"
    ) async throws -> Listed {
        var listed = Listed(revision: revision)
        var hasMore = true
        while hasMore {
            let parameters = [query, listed.revision.map { "revision=\($0)" } ?? ""].filter { !$0.isEmpty }
            let answer = try await store.client.get(path + id + "?" + parameters.joined(separator: "&"))
            try #require(answer.status == 200)
            let page = try answer.payloads("signedTransactions")
            #expect(page.count <= 20)
            listed.transactions += page
            listed.revision = try #require(answer.body["revision"] as? String)
            listed.pages += 1
            hasMore = try #require(answer.body["hasMore"] as? Bool)
        }
        return listed
    }

    /// Weekly products and two years make long histories.
    private func configuration(_ path: String) -> SimulatorConfiguration {
        var configuration = RunningStore.configuration(path)
        configuration.past = .days(1_000)
        return configuration
    }

    @Test func listsTheHistoryInPagesAndGoesOnFromARevision() async throws {
        try await withTemporaryDirectory { path in
            try await RunningStore.with(self.configuration(path)) { store in
                // given the longest history
                var longest = (id: "", listed: Listed())
                for id in store.sold {
                    let listed = try await self.history(store, id)
                    if listed.transactions.count > longest.listed.transactions.count { longest = (id, listed) }
                }
                let (id, listed) = longest
                #expect(listed.pages >= 2)
                #expect(Set(listed.ids).count == listed.ids.count)
                #expect(try await self.history(store, id, "sort=DESCENDING").ids == listed.ids.reversed())
                #expect(try await self.history(store, id, after: listed.revision).ids.isEmpty)

                // when one of its transactions is modified
                let original = try #require(listed.transactions.last?["originalTransactionId"] as? String)
                let token = UUID().uuidString.lowercased()
                let set = try await store.client.put(
                    "/inApps/v1/transactions/\(original)/appAccountToken", ["appAccountToken": token])
                #expect(set.status == 200)
                #expect(set.isEmpty)

                // then the last revision leads to it
                let modified = try await self.history(store, id, after: listed.revision)
                #expect(modified.transactions.count == 1)
                #expect(modified.transactions[0]["appAccountToken"] as? String == token)
                #expect(listed.ids.contains(modified.ids[0]))
            }
        }
    }

    @Test func filtersTheHistory() async throws {
        try await withTemporaryDirectory { path in
            try await RunningStore.with(self.configuration(path)) { store in
                var (all, revoked, purchases, refunds) = (0, 0, 0, 0)
                for id in store.sold {
                    let listed = try await self.history(store, id)
                    let count = listed.transactions.count
                    let (isRevoked, isNot) = (
                        try await self.history(store, id, "revoked=true"),
                        try await self.history(store, id, "revoked=false")
                    )
                    #expect(isRevoked.transactions.allSatisfy { $0["revocationDate"] != nil })
                    #expect(isRevoked.transactions.count + isNot.transactions.count == count)
                    let product = try #require(listed.transactions[0]["productId"] as? String)
                    let ofProduct = try await self.history(store, id, "productId=\(product)&productId=none")
                    #expect(
                        ofProduct.transactions.count
                            == listed.transactions.count { $0["productId"] as? String == product })
                    let types = try await self.history(store, id, "productType=CONSUMABLE&productType=NON_CONSUMABLE")
                    #expect(types.transactions.allSatisfy { ($0["type"] as? String)?.contains("Consumable") == true })
                    let date = try #require(listed.transactions[0]["purchaseDate"] as? Int64)
                    let from = try await self.history(store, id, "startDate=\(date)&endDate=\(date + 1)")
                    #expect(from.ids.contains(listed.ids[0]))
                    let back = try await self.history(store, id, path: "/inApps/v2/refund/lookup/")
                    let dates = back.transactions.compactMap { $0["revocationDate"] as? Int64 }
                    #expect(dates.count == back.transactions.count)
                    #expect(dates == dates.sorted())
                    (all, revoked) = (all + count, revoked + isRevoked.transactions.count)
                    (purchases, refunds) = (purchases + types.transactions.count, refunds + dates.count)
                }
                #expect(revoked > 0 && revoked < all && refunds > 0 && refunds <= revoked && purchases > 0)
                let id = store.sold[0]
                let wrong = [
                    ("revision=x", 4_000_005), ("sort=UP", 4_000_021), ("productType=Consumable", 4_000_022),
                    ("startDate=x", 4_000_015), ("endDate=-1", 4_000_016), ("startDate=2&endDate=1", 4_000_013),
                    ("inAppOwnershipType=MINE", 4_000_026), ("revoked=yes", 4_000_030), ("productId=", 4_000_023),
                    ("subscriptionGroupIdentifier=", 4_000_024),
                ]
                for (query, code) in wrong {
                    #expect(try await store.client.get("/inApps/v2/history/\(id)?\(query)").code == code)
                }
            }
        }
    }

    @Test func knowsSingleTransactionsAndTheirOrders() async throws {
        try await withTemporaryDirectory { path in
            try await RunningStore.with(RunningStore.configuration(path)) { store in
                let id = store.sold[0]
                let info = try await store.client.get("/inApps/v1/transactions/\(id)")
                let transaction = try DecodedNotification.payload(
                    try #require(info.body["signedTransactionInfo"] as? String))
                #expect(transaction["transactionId"] as? String == id)
                let customer = try #require(transaction["appTransactionId"] as? String)
                #expect(try await store.client.get("/inApps/v1/transactions/\(customer)").code == 4_000_048)
                #expect(try await store.client.get("/inApps/v1/subscriptions/\(customer)").status == 200)
                #expect(try await store.client.get("/inApps/v1/transactions/1").code == 4_040_010)

                let app = try await store.client.get("/inApps/v1/transactions/appTransactions/\(customer)")
                let appTransaction = try DecodedNotification.payload(
                    try #require(app.body["signedAppTransactionInfo"] as? String))
                #expect(appTransaction["appTransactionId"] as? String == customer)
                #expect(appTransaction["receiptType"] as? String == "Production")

                let finished = try await store.client.post("/inApps/v1/transactions/\(id)/finish")
                #expect(finished.status == 200)
                #expect(finished.isEmpty)

                let order = try #require(StoreOrderID.order(ofTransaction: id))
                let found = try await store.client.get("/inApps/v1/lookup/\(order)")
                #expect(found.body["status"] as? Int == 0)
                let transactions = try found.payloads("signedTransactions")
                #expect(transactions.map { $0["transactionId"] as? String } == [id])
                let none = try await store.client.get("/inApps/v1/lookup/MNONE")
                #expect(none.body["status"] as? Int == 1)
                #expect(none.body["signedTransactions"] == nil)
            }
        }
    }

    @Test func checksWhatItIsToldOfConsumption() async throws {
        try await withTemporaryDirectory { path in
            try await RunningStore.with(RunningStore.configuration(path)) { store in
                let path = "/inApps/v2/transactions/consumption/\(store.sold[0])"
                let good: [String: Any] = [
                    "customerConsented": true, "deliveryStatus": "DELIVERED", "sampleContentProvided": false,
                ]
                let accepted = try await store.client.put(path, good)
                #expect(accepted.status == 202)
                #expect(accepted.isEmpty)
                let wrong: [(String, Any, Int)] = [
                    ("customerConsented", false, 4_000_035), ("deliveryStatus", "LOST", 4_000_036),
                    ("sampleContentProvided", "no", 4_000_041), ("consumptionPercentage", 1_000, 4_000_209),
                    ("refundPreference", "MAYBE", 4_000_044),
                ]
                for (name, value, code) in wrong {
                    #expect(try await store.client.put(path, good.merging([name: value]) { $1 }).code == code)
                }
            }
        }
    }

    @Test func refusesTokensOfAccountsThatAreNone() async throws {
        try await withTemporaryDirectory { path in
            try await RunningStore.with(RunningStore.configuration(path)) { store in
                let path = "/inApps/v1/transactions/\(store.sold[0])/appAccountToken"
                #expect(try await store.client.put(path, ["appAccountToken": "me"]).code == 4_000_183)
                for id in store.sold {
                    let listed = try await self.history(store, id, "inAppOwnershipType=PURCHASED")
                    guard listed.ids.count > 1, listed.ids[1] != id else { continue }
                    let other = try await store.client.put(
                        "/inApps/v1/transactions/\(listed.ids[1])/appAccountToken",
                        ["appAccountToken": UUID().uuidString])
                    let isOriginal = listed.transactions[1]["originalTransactionId"] as? String == listed.ids[1]
                    #expect(isOriginal ? other.status == 200 : other.code == 4_000_187)
                }
            }
        }
    }
}
